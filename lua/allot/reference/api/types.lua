-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The API, part five: the types that words and keys use, and types with fields to read.

return {
  --- Alternatives: name, type, doc.
  aliases = {
    { "allot.Amount", "string|integer|fun(...: integer): integer",
      "an amount: a column's name, a whole number from 0 to 1000000000, or a function. The "
        .. "function's parameters name the columns that it reads; if it has one parameter and no "
        .. "column has that name, the function gets the whole row" },
    { "allot.Key", "string|allot.KeyWord|fun(...: integer): integer|boolean",
      "a key of an order: a column's name, a function of columns, or one of these under `asc`, "
        .. "`desc`" },
    { "allot.WordsSpec", "string[]|{default: string[]|string, doc: string}", "words, and their "
      .. "default" },
    { "allot.Quota", "allot.Fill|allot.Pool|allot.Loan", "a part of a quota" },
    { "allot.Promise", "string|allot.Property", "what a policy promises" },
  },
  --- What one word makes and another takes; a policy reads nothing in these.
  opaque = {
    "allot.PolicyTable", "allot.Property", "allot.Fill", "allot.Pool", "allot.Loan", "allot.Order",
    "allot.KeyWord", "allot.Guard", "allot.Test", "allot.Relation", "allot.Percent", "allot.Part",
  },
  --- Types with fields, which a program reads or passes: name, doc, fields, as in policy.lua.
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
        { "idle", "integer", "slots that it may use and does not" },
        { "demand", "integer?", "slots that its waiting work wants; nil: unknown" },
      },
    },
    {
      name = "allot.Case", doc = "One cycle, on which a property is tested.",
      fields = {
        { "plan", "table", "the plan's document" },
        { "state", "table", "the state's document" },
        { "decision", "table", "the document `allot/decision/v1`" },
        { "group", "string", "the resource group of the test" },
        { "rows", "table<string, table>", "the decision's consumers of that group, by path" },
        { "after", "table", "the state that the decision leads to" },
      },
    },
    {
      name = "allot.Preemption", doc = "What the ready-made policies have in common.",
      fields = {
        { "options", "fun(own: table<string, allot.OptionSpec>?): table<string, allot.OptionSpec>",
          "the options `preemption` (which of equal tasks goes first) and `selective` (tasks are "
            .. "compared across all hosts), and the options given" },
        { "victims", "fun(options: table): allot.Order", "the order that the two options choose" },
      },
    },
    {
      name = "allot.Diagnostic", doc = "What is wrong, and where.",
      fields = {
        { "severity", '"error"|"warning"', "an error makes the call fail" },
        { "code", "string", "the kind of fault; `allot help CODE` says more" },
        { "message", "string", "what was found, and what is allowed" },
        { "hint", "string?", "what to do about it" },
        { "file", "string?", "the file's name" },
        { "line", "integer?", "from 1" },
        { "col", "integer?", "in bytes, from 1" },
        { "width", "integer?", "the length of the fault, in bytes" },
        { "path", "string?", "the place in the document" },
        { "source", "string?", "the text of the line" },
      },
    },
    {
      name = "allot.FileOptions", doc = "A document's name in messages.",
      fields = { { "file", "string?", "a file's name" } },
    },
    {
      name = "allot.PolicyOptions", doc = "Options of the engine's `policy`.",
      fields = {
        { "file", "string?", "the policy's name in messages" },
        { "options", "table<string, integer|boolean|string>?", "as a plan sets them" },
      },
    },
    {
      name = "allot.DecodeOptions", doc = "Options of `decode`.",
      fields = {
        { "file", "string?", "the text's name in messages" },
        { "relaxed", "boolean?", "true: comments and trailing commas are allowed, as in plans" },
      },
    },
    {
      name = "allot.EncodeOptions", doc = "Options of `encode`.",
      fields = {
        { "indent", "integer?", "blanks per level, 0 to 16; 0 or nothing: all on one line" },
        { "most", "integer?", "bytes that the text may have (1 GiB)" },
      },
    },
    {
      name = "allot.ApplyOptions", doc = "Options of `apply`.",
      fields = {
        { "seconds", "integer?", "how much later the state is (1)" },
        { "returns", '"at once"|"later"|"at deadline"|nil', "when reclaimed slots are back: at "
          .. "once, and for the claimants alone until the next cycle; when one cycle has passed; "
          .. "or at the deadline" },
      },
    },
    {
      name = "allot.PlanOptions", doc = "Options of `plan`.",
      fields = {
        { "file", "string?", "the plan's name in messages; policies are read from its folder" },
        { "policies", "table<string, string>?", "texts of policies, by the names that plans use" },
        { "instead", "string?", "the policy that stands in for the plan's own" },
        { "log", "fun(level: string, text: string, where: string)?",
          "gets each line that policies write with `print` or `log`, after the call in which they "
            .. "ran; `where` is like `site/fair.lua:7`" },
      },
    },
  },
}
