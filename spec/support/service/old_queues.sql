PRAGMA user_version = 1;
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE plans(sha256 TEXT PRIMARY KEY, text BLOB) WITHOUT ROWID;
CREATE TABLE events(seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, method TEXT NOT NULL, params TEXT NOT NULL, idem TEXT);
CREATE TABLE cycles(cycle INTEGER PRIMARY KEY, seq INTEGER NOT NULL, at INTEGER NOT NULL, event INTEGER NOT NULL, plan TEXT NOT NULL, policy TEXT, input INTEGER NOT NULL, output INTEGER NOT NULL, decision TEXT, effect TEXT NOT NULL);
CREATE UNIQUE INDEX decisions ON cycles(seq) WHERE decision IS NOT NULL;
CREATE TABLE snapshots(event INTEGER, cycle INTEGER, part INTEGER, parts INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, plan TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY(event, cycle, part));
INSERT INTO plans VALUES('43e2c8f5f33ba2d4cf73b34dd77d92e7552a341f30aec9d88fdf538983d79659', CAST('{"version": 1, "policy": "preempt.lua", "hosts": {"h1": {"slots": 4}, "h2": {"slots": 4}}, "resources": {"lic": 3}, "queues": [{"name": "low", "priority": 10, "preemptable": true, "max_job_preempt": 2}, {"name": "mid", "priority": 20, "ujob_limit": 3}, {"name": "high", "priority": 50, "preemptive": true}]}' AS BLOB));
INSERT INTO events VALUES(1, 1700000001, 'submit', '{"id": "l0", "queue": "low", "slots": 2, "user": "u0", "submitted": 1000}', NULL);
INSERT INTO events VALUES(2, 1700000001, 'submit', '{"id": "l1", "queue": "low", "slots": 2, "user": "u1", "submitted": 1001}', NULL);
INSERT INTO events VALUES(3, 1700000001, 'submit', '{"id": "l2", "queue": "low", "slots": 2, "user": "u0", "submitted": 1002}', NULL);
INSERT INTO events VALUES(4, 1700000001, 'submit', '{"id": "l3", "queue": "low", "slots": 2, "user": "u1", "submitted": 1003}', NULL);
INSERT INTO events VALUES(5, 1700000001, 'submit', '{"id": "l4", "queue": "low", "slots": 2, "user": "u0", "submitted": 1004}', NULL);
INSERT INTO events VALUES(6, 1700000001, 'submit', '{"id": "l5", "queue": "low", "slots": 2, "user": "u1", "submitted": 1005}', NULL);
INSERT INTO events VALUES(7, 1700000002, 'stop', '{"id": "l0"}', NULL);
INSERT INTO events VALUES(8, 1700000003, 'cont', '{"id": "l0"}', NULL);
INSERT INTO events VALUES(9, 1700000004, 'submit', '{"id": "m0", "queue": "mid", "slots": 2, "resources": {"lic": 2}, "key": "m0"}', 'm0');
INSERT INTO events VALUES(10, 1700000004, 'submit', '{"id": "h0", "queue": "high", "slots": 4, "user": "ann", "priority": 4}', NULL);
INSERT INTO events VALUES(11, 1700000005, 'submit', '{"id": "h1", "queue": "high", "slots": 2}', NULL);
INSERT INTO events VALUES(12, 1700000007, 'finish', '{"id": "h0"}', NULL);
INSERT INTO events VALUES(13, 1700000008, 'host', '{"name": "h2", "slots": 4, "closed": "drain"}', NULL);
INSERT INTO events VALUES(14, 1700000008, 'submit', '{"id": "m1", "queue": "mid", "slots": 1, "user": "u1"}', NULL);
INSERT INTO events VALUES(15, 1700000009, 'withdraw', '{"id": "l5"}', NULL);
INSERT INTO events VALUES(16, 1700000009, 'host', '{"name": "h2", "slots": 6, "closed": false}', NULL);
INSERT INTO events VALUES(17, 1700000010, 'submit', '{"id": "m2", "queue": "mid", "slots": 2, "submitted": 2000}', NULL);
INSERT INTO events VALUES(18, 1700000011, 'submit', '{"id": "m3", "queue": "mid", "slots": 2, "submitted": 1999}', NULL);
INSERT INTO events VALUES(19, 1700000012, 'submit', '{"id": "m4", "queue": "mid", "slots": 2, "submitted": 1998}', NULL);
INSERT INTO events VALUES(20, 1700000013, 'finish', '{"id": "h1"}', NULL);
INSERT INTO events VALUES(21, 1700000014, 'finish', '{"id": "m0"}', NULL);
INSERT INTO cycles VALUES(1, 1, 1700000002, 6, '43e2c8f5f33ba2d4cf73b34dd77d92e7552a341f30aec9d88fdf538983d79659', '97bab177a4164a6f1649dad0bc9b654e8ae59dc919239d92a8ff8070897aad4a', -1699167246414751429, -7820253871780907385, '{"seq": 1, "cycle": 1, "now": 1700000002, "event": 6, "grants": [], "reclaims": [], "starts": [{"job": "l0", "queue": "low", "slots": 2, "hosts": {"h1": 2}, "why": {"code": "free"}}, {"job": "l1", "queue": "low", "slots": 2, "hosts": {"h1": 2}, "why": {"code": "free"}}, {"job": "l2", "queue": "low", "slots": 2, "hosts": {"h2": 2}, "why": {"code": "free"}}, {"job": "l3", "queue": "low", "slots": 2, "hosts": {"h2": 2}, "why": {"code": "free"}}], "resumes": [], "resizes": [], "suspends": [], "kills": [], "loans": [], "leases": {}, "warnings": []}', '{"method": "keep_job", "params": {"id": "l0", "queue": "low", "slots": 2, "state": "running", "submitted": 1000, "started": 1700000002, "ran": 0, "user": "u0", "since": 1700000002, "hosts": {"h1": 2}}}
{"method": "keep_job", "params": {"id": "l1", "queue": "low", "slots": 2, "state": "running", "submitted": 1001, "started": 1700000002, "ran": 0, "user": "u1", "since": 1700000002, "hosts": {"h1": 2}}}
{"method": "keep_job", "params": {"id": "l2", "queue": "low", "slots": 2, "state": "running", "submitted": 1002, "started": 1700000002, "ran": 0, "user": "u0", "since": 1700000002, "hosts": {"h2": 2}}}
{"method": "keep_job", "params": {"id": "l3", "queue": "low", "slots": 2, "state": "running", "submitted": 1003, "started": 1700000002, "ran": 0, "user": "u1", "since": 1700000002, "hosts": {"h2": 2}}}
{"method": "keep_clock", "params": {"now": 1700000002}}
{"method": "keep_usage", "params": {"queue": "low", "usage": 0, "millionths": 0}}
{"method": "keep_usage", "params": {"queue": "mid", "usage": 0, "millionths": 0}}
{"method": "keep_usage", "params": {"queue": "high", "usage": 0, "millionths": 0}}
');
INSERT INTO cycles VALUES(2, 1, 1700000003, 7, '43e2c8f5f33ba2d4cf73b34dd77d92e7552a341f30aec9d88fdf538983d79659', '97bab177a4164a6f1649dad0bc9b654e8ae59dc919239d92a8ff8070897aad4a', -2232144055415217742, -8715683362373923961, NULL, '{"method": "keep_clock", "params": {"now": 1700000003}}
{"method": "keep_usage", "params": {"queue": "low", "usage": 6, "millionths": 0}}
{"method": "keep_usage", "params": {"queue": "mid", "usage": 0, "millionths": 0}}
{"method": "keep_usage", "params": {"queue": "high", "usage": 0, "millionths": 0}}
');
INSERT INTO cycles VALUES(3, 2, 1700000004, 8, '43e2c8f5f33ba2d4cf73b34dd77d92e7552a341f30aec9d88fdf538983d79659', '97bab177a4164a6f1649dad0bc9b654e8ae59dc919239d92a8ff8070897aad4a', 8083496431842744509, -4118253661415573907, '{"seq": 2, "cycle": 3, "now": 1700000004, "event": 8, "grants": [], "reclaims": [], "starts": [], "resumes": [{"job": "l0", "queue": "low", "slots": 2, "hosts": {"h1": 2}, "why": {"code": "free"}}], "resizes": [], "suspends": [], "kills": [], "loans": [], "leases": {}, "warnings": []}', '{"method": "keep_job", "params": {"id": "l0", "queue": "low", "slots": 2, "state": "running", "submitted": 1000, "started": 1700000004, "ran": 0, "suspended_for": 2, "user": "u0", "since": 1700000004, "hosts": {"h1": 2}}}
{"method": "keep_clock", "params": {"now": 1700000004}}
{"method": "keep_usage", "params": {"queue": "low", "usage": 11, "millionths": 999233}}
{"method": "keep_usage", "params": {"queue": "mid", "usage": 0, "millionths": 0}}
{"method": "keep_usage", "params": {"queue": "high", "usage": 0, "millionths": 0}}
');
INSERT INTO cycles VALUES(4, 3, 1700000005, 10, '43e2c8f5f33ba2d4cf73b34dd77d92e7552a341f30aec9d88fdf538983d79659', '97bab177a4164a6f1649dad0bc9b654e8ae59dc919239d92a8ff8070897aad4a', -4615315540654305105, 155936758971345853, '{"seq": 3, "cycle": 4, "now": 1700000005, "event": 10, "grants": [], "reclaims": [], "starts": [{"job": "h0", "queue": "high", "slots": 4, "hosts": {"h1": 4}, "why": {"code": "preempted"}}, {"job": "m0", "queue": "mid", "slots": 2, "hosts": {"h2": 2}, "why": {"code": "preempted"}}], "resumes": [], "resizes": [], "suspends": [{"job": "l0", "queue": "low", "slots": 2, "hosts": {"h1": 2}, "action": "suspend", "for": "h0", "why": {"code": "preempted"}}, {"job": "l1", "queue": "low", "slots": 2, "hosts": {"h1": 2}, "action": "suspend", "for": "h0", "why": {"code": "preempted"}}, {"job": "l3", "queue": "low", "slots": 2, "hosts": {"h2": 2}, "action": "suspend", "for": "m0", "why": {"code": "preempted"}}], "kills": [], "loans": [], "leases": {}, "warnings": []}', '{"method": "keep_job", "params": {"id": "l0", "queue": "low", "slots": 2, "state": "suspended", "submitted": 1000, "started": 1700000004, "ran": 1, "suspended_for": 2, "preempted": 1, "user": "u0", "since": 1700000005, "hosts": {"h1": 2}}}
{"method": "keep_job", "params": {"id": "l1", "queue": "low", "slots": 2, "state": "suspended", "submitted": 1001, "started": 1700000002, "ran": 3, "preempted": 1, "user": "u1", "since": 1700000005, "hosts": {"h1": 2}}}
{"method": "keep_job", "params": {"id": "h0", "queue": "high", "slots": 4, "state": "running", "submitted": 1700000004, "started": 1700000005, "ran": 0, "priority": 4, "user": "ann", "since": 1700000005, "hosts": {"h1": 4}}}
{"method": "keep_job", "params": {"id": "l3", "queue": "low", "slots": 2, "state": "suspended", "submitted": 1003, "started": 1700000002, "ran": 3, "preempted": 1, "user": "u1", "since": 1700000005, "hosts": {"h2": 2}}}
{"method": "keep_job", "params": {"id": "m0", "queue": "mid", "slots": 2, "state": "running", "submitted": 1700000004, "started": 1700000005, "ran": 0, "since": 1700000005, "hosts": {"h2": 2}, "resources": {"lic": 2}}}
{"method": "keep_clock", "params": {"now": 1700000005}}
{"method": "keep_usage", "params": {"queue": "low", "usage": 19, "millionths": 997698}}
{"method": "keep_usage", "params": {"queue": "mid", "usage": 0, "millionths": 0}}
{"method": "keep_usage", "params": {"queue": "high", "usage": 0, "millionths": 0}}
');
INSERT INTO cycles VALUES(5, 4, 1700000007, 11, '43e2c8f5f33ba2d4cf73b34dd77d92e7552a341f30aec9d88fdf538983d79659', '97bab177a4164a6f1649dad0bc9b654e8ae59dc919239d92a8ff8070897aad4a', 6958950913038922326, -3256896886020382485, '{"seq": 4, "cycle": 5, "now": 1700000007, "event": 11, "grants": [], "reclaims": [], "starts": [{"job": "h1", "queue": "high", "slots": 2, "hosts": {"h2": 2}, "why": {"code": "preempted"}}], "resumes": [], "resizes": [], "suspends": [{"job": "l2", "queue": "low", "slots": 2, "hosts": {"h2": 2}, "action": "suspend", "for": "h1", "why": {"code": "preempted"}}], "kills": [], "loans": [], "leases": {}, "warnings": []}', '{"method": "keep_job", "params": {"id": "l2", "queue": "low", "slots": 2, "state": "suspended", "submitted": 1002, "started": 1700000002, "ran": 5, "preempted": 1, "user": "u0", "since": 1700000007, "hosts": {"h2": 2}}}
{"method": "keep_job", "params": {"id": "h1", "queue": "high", "slots": 2, "state": "running", "submitted": 1700000005, "started": 1700000007, "ran": 0, "since": 1700000007, "hosts": {"h2": 2}}}
{"method": "keep_clock", "params": {"now": 1700000007}}
{"method": "keep_usage", "params": {"queue": "low", "usage": 23, "millionths": 992326}}
{"method": "keep_usage", "params": {"queue": "mid", "usage": 3, "millionths": 999744}}
{"method": "keep_usage", "params": {"queue": "high", "usage": 7, "millionths": 999488}}
');
INSERT INTO cycles VALUES(6, 5, 1700000008, 12, '43e2c8f5f33ba2d4cf73b34dd77d92e7552a341f30aec9d88fdf538983d79659', '97bab177a4164a6f1649dad0bc9b654e8ae59dc919239d92a8ff8070897aad4a', -9140137289158185239, 7765557530914690753, '{"seq": 5, "cycle": 6, "now": 1700000008, "event": 12, "grants": [], "reclaims": [], "starts": [], "resumes": [{"job": "l0", "queue": "low", "slots": 2, "hosts": {"h1": 2}, "why": {"code": "free"}}, {"job": "l1", "queue": "low", "slots": 2, "hosts": {"h1": 2}, "why": {"code": "free"}}], "resizes": [], "suspends": [], "kills": [], "loans": [], "leases": {}, "warnings": []}', '{"method": "keep_job", "params": {"id": "l0", "queue": "low", "slots": 2, "state": "running", "submitted": 1000, "started": 1700000008, "ran": 1, "suspended_for": 5, "preempted": 1, "user": "u0", "since": 1700000008, "hosts": {"h1": 2}}}
{"method": "keep_job", "params": {"id": "l1", "queue": "low", "slots": 2, "state": "running", "submitted": 1001, "started": 1700000008, "ran": 3, "suspended_for": 3, "preempted": 1, "user": "u1", "since": 1700000008, "hosts": {"h1": 2}}}
{"method": "keep_clock", "params": {"now": 1700000008}}
{"method": "keep_usage", "params": {"queue": "low", "usage": 23, "millionths": 989257}}
{"method": "keep_usage", "params": {"queue": "mid", "usage": 5, "millionths": 999232}}
{"method": "keep_usage", "params": {"queue": "high", "usage": 9, "millionths": 998465}}
');
INSERT INTO cycles VALUES(7, 6, 1700000009, 14, '43e2c8f5f33ba2d4cf73b34dd77d92e7552a341f30aec9d88fdf538983d79659', '97bab177a4164a6f1649dad0bc9b654e8ae59dc919239d92a8ff8070897aad4a', -376077428208698120, -7203406694379734212, '{"seq": 6, "cycle": 7, "now": 1700000009, "event": 14, "grants": [], "reclaims": [], "starts": [{"job": "m1", "queue": "mid", "slots": 1, "hosts": {"h1": 1}, "why": {"code": "preempted"}}], "resumes": [], "resizes": [], "suspends": [{"job": "l1", "queue": "low", "slots": 2, "hosts": {"h1": 2}, "action": "suspend", "for": "m1", "why": {"code": "preempted"}}], "kills": [], "loans": [], "leases": {}, "warnings": []}', '{"method": "keep_job", "params": {"id": "l1", "queue": "low", "slots": 2, "state": "suspended", "submitted": 1001, "started": 1700000008, "ran": 4, "suspended_for": 3, "preempted": 2, "user": "u1", "since": 1700000009, "hosts": {"h1": 2}}}
{"method": "keep_job", "params": {"id": "m1", "queue": "mid", "slots": 1, "state": "running", "submitted": 1700000008, "started": 1700000009, "ran": 0, "user": "u1", "since": 1700000009, "hosts": {"h1": 1}}}
{"method": "keep_clock", "params": {"now": 1700000009}}
{"method": "keep_usage", "params": {"queue": "low", "usage": 27, "millionths": 986188}}
{"method": "keep_usage", "params": {"queue": "mid", "usage": 7, "millionths": 998465}}
{"method": "keep_usage", "params": {"queue": "high", "usage": 11, "millionths": 997186}}
');
INSERT INTO cycles VALUES(8, 7, 1700000010, 16, '43e2c8f5f33ba2d4cf73b34dd77d92e7552a341f30aec9d88fdf538983d79659', '97bab177a4164a6f1649dad0bc9b654e8ae59dc919239d92a8ff8070897aad4a', -1207123964922777774, -6277582240521756172, '{"seq": 7, "cycle": 8, "now": 1700000010, "event": 16, "grants": [], "reclaims": [], "starts": [], "resumes": [{"job": "l2", "queue": "low", "slots": 2, "hosts": {"h2": 2}, "why": {"code": "free"}}], "resizes": [], "suspends": [], "kills": [], "loans": [], "leases": {}, "warnings": []}', '{"method": "keep_job", "params": {"id": "l2", "queue": "low", "slots": 2, "state": "running", "submitted": 1002, "started": 1700000010, "ran": 5, "suspended_for": 3, "preempted": 1, "user": "u0", "since": 1700000010, "hosts": {"h2": 2}}}
{"method": "keep_clock", "params": {"now": 1700000010}}
{"method": "keep_usage", "params": {"queue": "low", "usage": 29, "millionths": 982608}}
{"method": "keep_usage", "params": {"queue": "mid", "usage": 10, "millionths": 997442}}
{"method": "keep_usage", "params": {"queue": "high", "usage": 13, "millionths": 995651}}
');
INSERT INTO cycles VALUES(9, 7, 1700000011, 17, '43e2c8f5f33ba2d4cf73b34dd77d92e7552a341f30aec9d88fdf538983d79659', '97bab177a4164a6f1649dad0bc9b654e8ae59dc919239d92a8ff8070897aad4a', 4532496972475377348, 5369265437187741867, NULL, '{"method": "keep_clock", "params": {"now": 1700000011}}
{"method": "keep_usage", "params": {"queue": "low", "usage": 33, "millionths": 978773}}
{"method": "keep_usage", "params": {"queue": "mid", "usage": 13, "millionths": 996035}}
{"method": "keep_usage", "params": {"queue": "high", "usage": 15, "millionths": 993861}}
');
INSERT INTO cycles VALUES(10, 7, 1700000012, 18, '43e2c8f5f33ba2d4cf73b34dd77d92e7552a341f30aec9d88fdf538983d79659', '97bab177a4164a6f1649dad0bc9b654e8ae59dc919239d92a8ff8070897aad4a', 4273180505971354592, 7505028589406468464, NULL, '{"method": "keep_clock", "params": {"now": 1700000012}}
{"method": "keep_usage", "params": {"queue": "low", "usage": 37, "millionths": 974427}}
{"method": "keep_usage", "params": {"queue": "mid", "usage": 16, "millionths": 994245}}
{"method": "keep_usage", "params": {"queue": "high", "usage": 17, "millionths": 991815}}
');
INSERT INTO cycles VALUES(11, 7, 1700000013, 19, '43e2c8f5f33ba2d4cf73b34dd77d92e7552a341f30aec9d88fdf538983d79659', '97bab177a4164a6f1649dad0bc9b654e8ae59dc919239d92a8ff8070897aad4a', -5120291232681528022, 52471612470909841, NULL, '{"method": "keep_clock", "params": {"now": 1700000013}}
{"method": "keep_usage", "params": {"queue": "low", "usage": 41, "millionths": 969570}}
{"method": "keep_usage", "params": {"queue": "mid", "usage": 19, "millionths": 992071}}
{"method": "keep_usage", "params": {"queue": "high", "usage": 19, "millionths": 989514}}
');
INSERT INTO cycles VALUES(12, 8, 1700000014, 20, '43e2c8f5f33ba2d4cf73b34dd77d92e7552a341f30aec9d88fdf538983d79659', '97bab177a4164a6f1649dad0bc9b654e8ae59dc919239d92a8ff8070897aad4a', -5521960583599201811, -4706652165522986218, '{"seq": 8, "cycle": 12, "now": 1700000014, "event": 20, "grants": [], "reclaims": [], "starts": [], "resumes": [{"job": "l3", "queue": "low", "slots": 2, "hosts": {"h2": 2}, "why": {"code": "free"}}], "resizes": [], "suspends": [], "kills": [], "loans": [], "leases": {}, "warnings": []}', '{"method": "keep_job", "params": {"id": "l3", "queue": "low", "slots": 2, "state": "running", "submitted": 1003, "started": 1700000014, "ran": 3, "suspended_for": 9, "preempted": 1, "user": "u1", "since": 1700000014, "hosts": {"h2": 2}}}
{"method": "keep_clock", "params": {"now": 1700000014}}
{"method": "keep_usage", "params": {"queue": "low", "usage": 45, "millionths": 964202}}
{"method": "keep_usage", "params": {"queue": "mid", "usage": 22, "millionths": 989514}}
{"method": "keep_usage", "params": {"queue": "high", "usage": 19, "millionths": 986957}}
');
INSERT INTO cycles VALUES(13, 9, 1700000016, 21, '43e2c8f5f33ba2d4cf73b34dd77d92e7552a341f30aec9d88fdf538983d79659', '97bab177a4164a6f1649dad0bc9b654e8ae59dc919239d92a8ff8070897aad4a', 7340317514681282459, 7903916007411869354, '{"seq": 9, "cycle": 13, "now": 1700000016, "event": 21, "grants": [], "reclaims": [], "starts": [{"job": "m4", "queue": "mid", "slots": 2, "hosts": {"h2": 2}, "why": {"code": "free"}}], "resumes": [], "resizes": [], "suspends": [], "kills": [], "loans": [], "leases": {}, "warnings": []}', '{"method": "keep_job", "params": {"id": "m4", "queue": "mid", "slots": 2, "state": "running", "submitted": 1998, "started": 1700000016, "ran": 0, "since": 1700000016, "hosts": {"h2": 2}}}
{"method": "keep_clock", "params": {"now": 1700000016}}
{"method": "keep_usage", "params": {"queue": "low", "usage": 57, "millionths": 951677}}
{"method": "keep_usage", "params": {"queue": "mid", "usage": 24, "millionths": 983505}}
{"method": "keep_usage", "params": {"queue": "high", "usage": 19, "millionths": 981844}}
');
INSERT INTO snapshots VALUES(12, 6, 0, 1, 5, 1700000008, '43e2c8f5f33ba2d4cf73b34dd77d92e7552a341f30aec9d88fdf538983d79659', '{"method": "keep_clock", "params": {"now": 1700000008}}
{"method": "keep_job", "params": {"id": "l0", "queue": "low", "slots": 2, "state": "running", "submitted": 1000, "started": 1700000008, "ran": 1, "suspended_for": 5, "preempted": 1, "user": "u0", "since": 1700000008, "hosts": {"h1": 2}}}
{"method": "keep_job", "params": {"id": "l1", "queue": "low", "slots": 2, "state": "running", "submitted": 1001, "started": 1700000008, "ran": 3, "suspended_for": 3, "preempted": 1, "user": "u1", "since": 1700000008, "hosts": {"h1": 2}}}
{"method": "keep_job", "params": {"id": "l2", "queue": "low", "slots": 2, "state": "suspended", "submitted": 1002, "started": 1700000002, "ran": 5, "preempted": 1, "user": "u0", "since": 1700000007, "hosts": {"h2": 2}}}
{"method": "keep_job", "params": {"id": "l3", "queue": "low", "slots": 2, "state": "suspended", "submitted": 1003, "started": 1700000002, "ran": 3, "preempted": 1, "user": "u1", "since": 1700000005, "hosts": {"h2": 2}}}
{"method": "keep_job", "params": {"id": "l4", "queue": "low", "slots": 2, "state": "pending", "submitted": 1004, "user": "u0", "since": 1700000001}}
{"method": "keep_job", "params": {"id": "l5", "queue": "low", "slots": 2, "state": "pending", "submitted": 1005, "user": "u1", "since": 1700000001}}
{"method": "keep_job", "params": {"id": "m0", "queue": "mid", "slots": 2, "state": "running", "submitted": 1700000004, "started": 1700000005, "ran": 0, "since": 1700000005, "hosts": {"h2": 2}, "resources": {"lic": 2}}}
{"method": "keep_job", "params": {"id": "h1", "queue": "high", "slots": 2, "state": "running", "submitted": 1700000005, "started": 1700000007, "ran": 0, "since": 1700000007, "hosts": {"h2": 2}}}
{"method": "keep_usage", "params": {"queue": "low", "usage": 23, "millionths": 989257}}
{"method": "keep_usage", "params": {"queue": "mid", "usage": 5, "millionths": 999232}}
{"method": "keep_usage", "params": {"queue": "high", "usage": 9, "millionths": 998465}}
');
