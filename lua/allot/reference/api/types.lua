-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The API, part five: the types that words and keys speak of, and what has fields to be read.

return {
  --- Alternatives: name, what it is, doc.
  aliases = {
    { "allot.Amount", "string|integer|fun(...: integer): integer",
      "an amount: a column's name, a whole number from 0 to 1000000000, or a function, whose "
        .. "parameters name the columns that it reads; a single one that is no column is the "
        .. "whole row" },
    { "allot.Key", "string|allot.KeyWord|fun(...: integer): integer|boolean",
      "a key of an order: a column's name, a function of columns, or one of these under `asc`, "
        .. "`desc`" },
    { "allot.WordsSpec", "string[]|{default: string[]|string, doc: string}", "words, and their "
      .. "default" },
    { "allot.Quota", "allot.Fill|allot.Pool|allot.Loan", "a part of a quota" },
  },
  --- What is made by a word and given to another; nothing in it is to be read.
  opaque = {
    "allot.PolicyTable", "allot.Property", "allot.Fill", "allot.Pool", "allot.Loan", "allot.Order",
    "allot.KeyWord", "allot.Guard", "allot.Test", "allot.Relation", "allot.Percent", "allot.Part",
    "allot.State",
  },
  --- What is read, or given beside: name, doc, fields, as in policy.lua.
  classes = {
    {
      name = "allot.QueueView", doc = "A queue, as a test of a relation sees it.",
      fields = {
        { "name", "string", "its name" },
        { "priority", "integer", "larger is more important (P-2)" },
        { "preemptive", "boolean", "its jobs may preempt" },
        { "preemptable", "boolean", "its jobs may be preempted" },
        { "slot_pool", "string?", "its pool" },
        { "slot_share", "integer", "percent of its pool" },
      },
    },
    {
      name = "allot.Member", doc = "A member of an item of a state.",
      fields = {
        { "name", "string", "its key; empty: the attributes that policies declare" },
        { "type", "string", "how it is written: integer, text, time, ..." },
        { "doc", "string?", "what it means" },
        { "rule", "string?", "where it comes from" },
        { "unit", "string?", "s, slots or time" },
        { "least", "integer?", "of integers and times" },
        { "most", "integer?", "likewise" },
        { "unset", "integer?", "what it is where it is not stated; of words their place less 1" },
        { "words", "string[]?", "those it may be" },
        { "members", "allot.Member[]?", "of an object" },
        { "required", "boolean?", "it must be stated" },
        { "nullable", "boolean?", "null is as good as not stated" },
        { "digits", "boolean?", "a text, for which an integer is as good" },
        { "passed", "boolean?", "decisions write it for people" },
      },
    },
    {
      name = "allot.LeaseSide", doc = "A side of a contract of shared lease, when it is due.",
      fields = {
        { "available", "integer", "slots that it may use" },
        { "used", "integer", "slots that it uses" },
        { "idle", "integer", "the others" },
        { "demand", "integer?", "slots of what waits there; nil: nobody told" },
      },
    },
    {
      name = "allot.Case", doc = "What a property is asked about: one cycle.",
      fields = {
        { "plan", "table", "the plan's document" },
        { "state", "table", "the state's document" },
        { "decision", "table", "the document `allot/decision/v1`" },
        { "group", "string", "the resource group that it is about" },
        { "rows", "table<string, table>", "the decision's consumers of that group, by path" },
        { "after", "table", "the state that the decision leads to" },
      },
    },
    {
      name = "allot.Preemption", doc = "What the ready-made policies have in common.",
      fields = {
        { "options", "fun(own: table<string, allot.OptionSpec>?): table<string, allot.OptionSpec>",
          "the options `preemption` (who of equals goes first) and `selective` (tasks are "
            .. "compared on all hosts), and those given" },
        { "victims", "fun(options: table): allot.Order", "the order that the two options choose" },
      },
    },
    {
      name = "allot.Diagnostic", doc = "What is wrong, and where.",
      fields = {
        { "severity", '"error"|"warning"', "an error fails what was asked" },
        { "code", "string", "what kind it is; `allot help CODE` tells more" },
        { "message", "string", "what was found, and what is allowed" },
        { "hint", "string?", "what to do about it" },
        { "file", "string?", "as it was called" },
        { "line", "integer?", "from 1" },
        { "col", "integer?", "in bytes, from 1" },
        { "width", "integer?", "bytes that are meant" },
        { "path", "string?", "where in the document" },
        { "source", "string?", "the line" },
      },
    },
    {
      name = "allot.FileOptions", doc = "How a document is called in messages.",
      fields = { { "file", "string?", "a file's name" } },
    },
    {
      name = "allot.PolicyOptions", doc = "Options of `policy`, the engine's.",
      fields = {
        { "file", "string?", "how it is called in messages" },
        { "options", "table<string, integer|boolean|string>?", "as a plan sets them" },
      },
    },
    {
      name = "allot.DecodeOptions", doc = "Options of `decode`.",
      fields = {
        { "file", "string?", "how the text is called in messages" },
        { "relaxed", "boolean?", "comments and trailing commas are fine, as in plans" },
      },
    },
    {
      name = "allot.EncodeOptions", doc = "Options of `encode`.",
      fields = {
        { "indent", "integer?", "blanks a level, 0 to 16; 0 or nothing: all on one line" },
        { "most", "integer?", "bytes that the text may have (1 GiB)" },
      },
    },
    {
      name = "allot.PlanOptions", doc = "Options of `plan`.",
      fields = {
        { "file", "string?", "how it is called; policies are looked for beside it" },
        { "policies", "table<string, string>?", "texts of policies, by the names that plans use" },
        { "instead", "string?", "the policy that stands in for the plan's own" },
        { "log", "fun(level: string, text: string, where: string)?",
          "told of each line that policies print (`print`) or log (`log`), once the call that made "
            .. "them speak is done; `where` is like `site/fair.lua:7`" },
      },
    },
  },
}
