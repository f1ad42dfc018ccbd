PRAGMA user_version = 1;
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE plans(sha256 TEXT PRIMARY KEY, text BLOB) WITHOUT ROWID;
CREATE TABLE events(seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, method TEXT NOT NULL, params TEXT NOT NULL, idem TEXT);
CREATE TABLE cycles(cycle INTEGER PRIMARY KEY, seq INTEGER NOT NULL, at INTEGER NOT NULL, event INTEGER NOT NULL, plan TEXT NOT NULL, policy TEXT, input INTEGER NOT NULL, output INTEGER NOT NULL, decision TEXT, effect TEXT NOT NULL);
CREATE UNIQUE INDEX decisions ON cycles(seq) WHERE decision IS NOT NULL;
CREATE TABLE snapshots(event INTEGER, cycle INTEGER, part INTEGER, parts INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, plan TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY(event, cycle, part));
INSERT INTO plans VALUES('9b40c1fd1fa604308d98c5146afd0d02977869435ad8daa2ac444d44217e8724', CAST('{"version": 1, "policy": "share.lua", "timezone": "UTC", "options": {"claim_delay": 1}, "hosts": {"h1": {"slots": 6}, "h2": {"slots": 6}, "h3": {"slots": 4}}, "consumers": [{"name": "desk", "owned": 6, "grace": 2, "rank": 1}, {"name": "lab", "rank": 2, "children": [{"name": "x", "owned": 3, "grace": 1}, {"name": "y", "owned": 3}]}, {"name": "night", "owned": 4, "rank": 3, "grace": 1}], "windows": [{"from": "22:14", "to": "23:14", "consumers": {"/desk": {"owned": 9}, "/night": {"owned": 1}}}]}' AS BLOB));
INSERT INTO events VALUES(1, 1700000001, 'demand', '{"consumer": "/night", "slots": 16, "key": "first"}', 'first');
INSERT INTO events VALUES(2, 1700000002, 'session', '{"id": "s1", "consumer": "/night", "priority": 3}', NULL);
INSERT INTO events VALUES(3, 1700000002, 'session', '{"id": "s2", "consumer": "/night", "priority": 1, "created": 1699990000}', NULL);
INSERT INTO events VALUES(4, 1700000002, 'start', '{"id": "n10", "consumer": "/night", "host": "h1", "session": "s2"}', NULL);
INSERT INTO events VALUES(5, 1700000002, 'start', '{"id": "n11", "consumer": "/night", "host": "h1", "session": "s2"}', NULL);
INSERT INTO events VALUES(6, 1700000002, 'start', '{"id": "n12", "consumer": "/night", "host": "h1", "session": "s2"}', NULL);
INSERT INTO events VALUES(7, 1700000002, 'start', '{"id": "n13", "consumer": "/night", "host": "h1", "session": "s2"}', NULL);
INSERT INTO events VALUES(8, 1700000002, 'start', '{"id": "n14", "consumer": "/night", "host": "h1", "session": "s2"}', NULL);
INSERT INTO events VALUES(9, 1700000002, 'start', '{"id": "n15", "consumer": "/night", "host": "h1", "session": "s2"}', NULL);
INSERT INTO events VALUES(10, 1700000002, 'start', '{"id": "n20", "consumer": "/night", "host": "h2", "session": "s1"}', NULL);
INSERT INTO events VALUES(11, 1700000002, 'start', '{"id": "n21", "consumer": "/night", "host": "h2", "session": "s1"}', NULL);
INSERT INTO events VALUES(12, 1700000002, 'start', '{"id": "n22", "consumer": "/night", "host": "h2", "session": "s1"}', NULL);
INSERT INTO events VALUES(13, 1700000002, 'start', '{"id": "n23", "consumer": "/night", "host": "h2", "session": "s1"}', NULL);
INSERT INTO events VALUES(14, 1700000002, 'start', '{"id": "n24", "consumer": "/night", "host": "h2", "session": "s1"}', NULL);
INSERT INTO events VALUES(15, 1700000002, 'start', '{"id": "n25", "consumer": "/night", "host": "h2", "session": "s1"}', NULL);
INSERT INTO events VALUES(16, 1700000002, 'start', '{"id": "n30", "consumer": "/night", "host": "h3", "session": "s2"}', NULL);
INSERT INTO events VALUES(17, 1700000002, 'start', '{"id": "n31", "consumer": "/night", "host": "h3", "session": "s2"}', NULL);
INSERT INTO events VALUES(18, 1700000002, 'start', '{"id": "n32", "consumer": "/night", "host": "h3", "session": "s2"}', NULL);
INSERT INTO events VALUES(19, 1700000002, 'start', '{"id": "n33", "consumer": "/night", "host": "h3", "session": "s2"}', NULL);
INSERT INTO events VALUES(20, 1700000003, 'demand', '{"consumer": "/desk", "slots": 5}', NULL);
INSERT INTO events VALUES(21, 1700000008, 'finish', '{"id": "n33"}', NULL);
INSERT INTO events VALUES(22, 1700000008, 'finish', '{"id": "n32"}', NULL);
INSERT INTO events VALUES(23, 1700000008, 'finish', '{"id": "n31"}', NULL);
INSERT INTO events VALUES(24, 1700000008, 'finish', '{"id": "n30"}', NULL);
INSERT INTO events VALUES(25, 1700000008, 'finish', '{"id": "n25"}', NULL);
INSERT INTO events VALUES(26, 1700000009, 'start', '{"id": "d1", "consumer": "/desk", "tags": ["gold", "x"]}', NULL);
INSERT INTO events VALUES(27, 1700000009, 'start', '{"id": "d2", "consumer": "/desk", "tags": ["gold", "x"]}', NULL);
INSERT INTO events VALUES(28, 1700000009, 'start', '{"id": "d3", "consumer": "/desk", "tags": ["gold", "x"]}', NULL);
INSERT INTO events VALUES(29, 1700000009, 'demand', '{"consumer": "/lab/x", "slots": 2}', NULL);
INSERT INTO events VALUES(30, 1700000009, 'demand', '{"consumer": "/lab/y", "slots": 4}', NULL);
INSERT INTO events VALUES(31, 1700000013, 'finish', '{"id": "n24"}', NULL);
INSERT INTO events VALUES(32, 1700000013, 'finish', '{"id": "n23"}', NULL);
INSERT INTO events VALUES(33, 1700000013, 'finish', '{"id": "n22"}', NULL);
INSERT INTO events VALUES(34, 1700000013, 'finish', '{"id": "n21"}', NULL);
INSERT INTO events VALUES(35, 1700000013, 'finish', '{"id": "n20"}', NULL);
INSERT INTO events VALUES(36, 1700000013, 'finish', '{"id": "n15"}', NULL);
INSERT INTO events VALUES(37, 1700000014, 'host', '{"name": "h3", "slots": 4, "closed": "drain", "load": 0.5}', NULL);
INSERT INTO events VALUES(38, 1700000014, 'session_end', '{"id": "s1"}', NULL);
INSERT INTO events VALUES(39, 1700000016, 'host', '{"name": "h4", "slots": 4}', NULL);
INSERT INTO events VALUES(40, 1700000016, 'demand', '{"consumer": "/desk", "slots": 9}', NULL);
INSERT INTO events VALUES(41, 1700000045, 'slots', '{"slots": 18}', NULL);
INSERT INTO events VALUES(42, 1700000046, 'finish', '{"id": "d1"}', NULL);
INSERT INTO events VALUES(43, 1700000046, 'release', '{"consumer": "/desk", "slots": 1}', NULL);
INSERT INTO cycles VALUES(1, 1, 1700000002, 1, '9b40c1fd1fa604308d98c5146afd0d02977869435ad8daa2ac444d44217e8724', 'a186d7aeebcd24c578a62def132f74fcb0e05cdcf85117000352fe7af158b159', 9072106939238283189, 5569566768087138836, '{"seq": 1, "cycle": 1, "now": 1700000002, "event": 1, "grants": [{"group": "default", "consumer": "/night", "slots": 16, "hosts": {"h1": 6, "h2": 6, "h3": 4}}], "reclaims": [], "starts": [], "resumes": [], "resizes": [], "suspends": [], "kills": [], "loans": [], "leases": {}, "warnings": []}', '{"method": "keep_row", "params": {"consumer": "/night", "demand": 16, "allocated": 16}}
{"method": "keep_clock", "params": {"now": 1700000002}}
');
INSERT INTO cycles VALUES(2, 1, 1700000003, 19, '9b40c1fd1fa604308d98c5146afd0d02977869435ad8daa2ac444d44217e8724', 'a186d7aeebcd24c578a62def132f74fcb0e05cdcf85117000352fe7af158b159', -5642754177902711173, 99680859881696600, NULL, '{"method": "keep_clock", "params": {"now": 1700000003}}
');
INSERT INTO cycles VALUES(3, 1, 1700000004, 20, '9b40c1fd1fa604308d98c5146afd0d02977869435ad8daa2ac444d44217e8724', 'a186d7aeebcd24c578a62def132f74fcb0e05cdcf85117000352fe7af158b159', -3612979792774287882, 5807598137715139801, NULL, '{"method": "keep_clock", "params": {"now": 1700000004}}
{"method": "keep_row", "params": {"consumer": "/desk", "demand": 5, "waiting_since": 1700000004}}
');
INSERT INTO cycles VALUES(4, 2, 1700000008, 20, '9b40c1fd1fa604308d98c5146afd0d02977869435ad8daa2ac444d44217e8724', 'a186d7aeebcd24c578a62def132f74fcb0e05cdcf85117000352fe7af158b159', -3489392255099607678, 218929906740012437, '{"seq": 2, "cycle": 4, "now": 1700000008, "event": 20, "grants": [], "reclaims": [{"id": "r4.0", "group": "default", "consumer": "/night", "slots": 5, "for": [{"consumer": "/desk", "slots": 5}], "grace": 1, "deadline": 1700000009, "tasks": ["n33", "n32", "n31", "n30", "n25"], "why": {"code": "over-quota", "allocated": 16, "quota": 11}}], "starts": [], "resumes": [], "resizes": [], "suspends": [], "kills": [], "loans": [], "leases": {}, "warnings": []}', '{"method": "keep_flight", "params": {"id": "r4.0", "consumer": "/night", "slots": 5, "deadline": 1700000009, "since": 1700000008}}
{"method": "keep_claim", "params": {"id": "r4.0", "for": "/desk", "slots": 5}}
{"method": "keep_victim", "params": {"id": "r4.0", "task": "n33"}}
{"method": "keep_victim", "params": {"id": "r4.0", "task": "n32"}}
{"method": "keep_victim", "params": {"id": "r4.0", "task": "n31"}}
{"method": "keep_victim", "params": {"id": "r4.0", "task": "n30"}}
{"method": "keep_victim", "params": {"id": "r4.0", "task": "n25"}}
{"method": "keep_clock", "params": {"now": 1700000008}}
{"method": "keep_row", "params": {"consumer": "/night", "demand": 16, "allocated": 16, "reclaimed_at": 1700000008}}
');
INSERT INTO cycles VALUES(5, 3, 1700000009, 25, '9b40c1fd1fa604308d98c5146afd0d02977869435ad8daa2ac444d44217e8724', 'a186d7aeebcd24c578a62def132f74fcb0e05cdcf85117000352fe7af158b159', -5897851618648542310, 469986174353972891, '{"seq": 3, "cycle": 5, "now": 1700000009, "event": 25, "grants": [{"group": "default", "consumer": "/desk", "slots": 5, "hosts": {"h2": 1, "h3": 4}}], "reclaims": [], "starts": [], "resumes": [], "resizes": [], "suspends": [], "kills": [], "loans": [], "leases": {}, "warnings": []}', '{"method": "keep_row", "params": {"consumer": "/desk", "demand": 5, "allocated": 5, "waiting_since": 1700000004}}
{"method": "keep_landed", "params": {"id": "r4.0"}}
{"method": "keep_clock", "params": {"now": 1700000009}}
{"method": "keep_row", "params": {"consumer": "/desk", "demand": 5, "allocated": 5}}
');
INSERT INTO cycles VALUES(6, 3, 1700000011, 30, '9b40c1fd1fa604308d98c5146afd0d02977869435ad8daa2ac444d44217e8724', 'a186d7aeebcd24c578a62def132f74fcb0e05cdcf85117000352fe7af158b159', -5911479403734189517, 1269303921247621379, NULL, '{"method": "keep_clock", "params": {"now": 1700000011}}
{"method": "keep_row", "params": {"consumer": "/lab/x", "demand": 2, "waiting_since": 1700000011}}
{"method": "keep_row", "params": {"consumer": "/lab/y", "demand": 4, "waiting_since": 1700000011}}
');
INSERT INTO cycles VALUES(7, 4, 1700000013, 30, '9b40c1fd1fa604308d98c5146afd0d02977869435ad8daa2ac444d44217e8724', 'a186d7aeebcd24c578a62def132f74fcb0e05cdcf85117000352fe7af158b159', -1305251315221783526, 6115639602920780245, '{"seq": 4, "cycle": 7, "now": 1700000013, "event": 30, "grants": [], "reclaims": [{"id": "r7.0", "group": "default", "consumer": "/night", "slots": 6, "for": [{"consumer": "/lab/x", "slots": 2}, {"consumer": "/lab/y", "slots": 4}], "grace": 1, "deadline": 1700000014, "tasks": ["n24", "n23", "n22", "n21", "n20", "n15"], "why": {"code": "over-quota", "allocated": 11, "quota": 5}}], "starts": [], "resumes": [], "resizes": [], "suspends": [], "kills": [], "loans": [], "leases": {}, "warnings": []}', '{"method": "keep_flight", "params": {"id": "r7.0", "consumer": "/night", "slots": 6, "deadline": 1700000014, "since": 1700000013}}
{"method": "keep_claim", "params": {"id": "r7.0", "for": "/lab/x", "slots": 2}}
{"method": "keep_claim", "params": {"id": "r7.0", "for": "/lab/y", "slots": 4}}
{"method": "keep_victim", "params": {"id": "r7.0", "task": "n24"}}
{"method": "keep_victim", "params": {"id": "r7.0", "task": "n23"}}
{"method": "keep_victim", "params": {"id": "r7.0", "task": "n22"}}
{"method": "keep_victim", "params": {"id": "r7.0", "task": "n21"}}
{"method": "keep_victim", "params": {"id": "r7.0", "task": "n20"}}
{"method": "keep_victim", "params": {"id": "r7.0", "task": "n15"}}
{"method": "keep_clock", "params": {"now": 1700000013}}
{"method": "keep_row", "params": {"consumer": "/night", "demand": 16, "allocated": 11, "reclaimed_at": 1700000013}}
');
INSERT INTO cycles VALUES(8, 5, 1700000014, 36, '9b40c1fd1fa604308d98c5146afd0d02977869435ad8daa2ac444d44217e8724', 'a186d7aeebcd24c578a62def132f74fcb0e05cdcf85117000352fe7af158b159', -6922255884171587148, 4198126296626783377, '{"seq": 5, "cycle": 8, "now": 1700000014, "event": 36, "grants": [{"group": "default", "consumer": "/lab/x", "slots": 2, "hosts": {"h2": 1}}, {"group": "default", "consumer": "/lab/y", "slots": 4}], "reclaims": [], "starts": [], "resumes": [], "resizes": [], "suspends": [], "kills": [], "loans": [], "leases": {}, "warnings": []}', '{"method": "keep_row", "params": {"consumer": "/lab/x", "demand": 2, "allocated": 2, "waiting_since": 1700000011}}
{"method": "keep_row", "params": {"consumer": "/lab/y", "demand": 4, "allocated": 4, "waiting_since": 1700000011}}
{"method": "keep_landed", "params": {"id": "r7.0"}}
{"method": "keep_clock", "params": {"now": 1700000014}}
{"method": "keep_row", "params": {"consumer": "/lab/x", "demand": 2, "allocated": 2}}
{"method": "keep_row", "params": {"consumer": "/lab/y", "demand": 4, "allocated": 4}}
');
INSERT INTO cycles VALUES(9, 6, 1700000016, 38, '9b40c1fd1fa604308d98c5146afd0d02977869435ad8daa2ac444d44217e8724', 'a186d7aeebcd24c578a62def132f74fcb0e05cdcf85117000352fe7af158b159', -3652050668229145190, -6262989851950704398, '{"seq": 6, "cycle": 9, "now": 1700000016, "event": 38, "grants": [], "reclaims": [{"id": "r9.0", "group": "default", "consumer": "/night", "slots": 2, "for": [], "grace": 1, "deadline": 1700000017, "tasks": ["n14", "n13"], "why": {"code": "over-size", "allocated": 5, "quota": 3}}, {"id": "r9.1", "group": "default", "consumer": "/lab/y", "slots": 2, "for": [], "grace": 0, "deadline": 1700000016, "tasks": [], "why": {"code": "over-size", "allocated": 4, "quota": 2}}], "starts": [], "resumes": [], "resizes": [], "suspends": [], "kills": [], "loans": [], "leases": {}, "warnings": []}', '{"method": "keep_flight", "params": {"id": "r9.0", "consumer": "/night", "slots": 2, "deadline": 1700000017, "since": 1700000016}}
{"method": "keep_victim", "params": {"id": "r9.0", "task": "n14"}}
{"method": "keep_victim", "params": {"id": "r9.0", "task": "n13"}}
{"method": "keep_flight", "params": {"id": "r9.1", "consumer": "/lab/y", "slots": 2, "deadline": 1700000016, "since": 1700000016}}
{"method": "keep_clock", "params": {"now": 1700000016}}
{"method": "keep_row", "params": {"consumer": "/lab/y", "demand": 4, "allocated": 4, "reclaimed_at": 1700000016}}
{"method": "keep_row", "params": {"consumer": "/night", "demand": 16, "allocated": 5, "reclaimed_at": 1700000016}}
');
INSERT INTO cycles VALUES(10, 7, 1700000042, 40, '9b40c1fd1fa604308d98c5146afd0d02977869435ad8daa2ac444d44217e8724', 'a186d7aeebcd24c578a62def132f74fcb0e05cdcf85117000352fe7af158b159', 863740786921580154, -6009662398069223904, '{"seq": 7, "cycle": 10, "now": 1700000042, "event": 40, "grants": [], "reclaims": [], "starts": [], "resumes": [], "resizes": [], "suspends": [], "kills": [{"task": "n14", "consumer": "/night", "reclaim": "r9.0", "why": {"code": "grace-over"}}, {"task": "n13", "consumer": "/night", "reclaim": "r9.0", "why": {"code": "grace-over"}}], "loans": [], "leases": {}, "warnings": []}', '{"method": "keep_told", "params": {"id": "n14"}}
{"method": "keep_told", "params": {"id": "n13"}}
{"method": "keep_clock", "params": {"now": 1700000042}}
{"method": "keep_row", "params": {"consumer": "/desk", "demand": 9, "allocated": 5, "waiting_since": 1700000042}}
');
INSERT INTO cycles VALUES(11, 7, 1700000045, 40, '9b40c1fd1fa604308d98c5146afd0d02977869435ad8daa2ac444d44217e8724', 'a186d7aeebcd24c578a62def132f74fcb0e05cdcf85117000352fe7af158b159', 4784722188755127658, -6009662398069223904, NULL, '{"method": "keep_clock", "params": {"now": 1700000045}}
');
INSERT INTO cycles VALUES(12, 8, 1700000046, 41, '9b40c1fd1fa604308d98c5146afd0d02977869435ad8daa2ac444d44217e8724', 'a186d7aeebcd24c578a62def132f74fcb0e05cdcf85117000352fe7af158b159', -8591437739241144381, -7962576948583686904, '{"seq": 8, "cycle": 12, "now": 1700000046, "event": 41, "grants": [{"group": "default", "consumer": "/desk", "slots": 2}], "reclaims": [], "starts": [], "resumes": [], "resizes": [], "suspends": [], "kills": [], "loans": [], "leases": {}, "warnings": []}', '{"method": "keep_row", "params": {"consumer": "/desk", "demand": 9, "allocated": 7, "waiting_since": 1700000042}}
{"method": "keep_clock", "params": {"now": 1700000046}}
');
INSERT INTO cycles VALUES(13, 9, 1700000047, 43, '9b40c1fd1fa604308d98c5146afd0d02977869435ad8daa2ac444d44217e8724', 'a186d7aeebcd24c578a62def132f74fcb0e05cdcf85117000352fe7af158b159', 1625892712880061012, -7962576948583686904, '{"seq": 9, "cycle": 13, "now": 1700000047, "event": 43, "grants": [{"group": "default", "consumer": "/desk", "slots": 2}], "reclaims": [], "starts": [], "resumes": [], "resizes": [], "suspends": [], "kills": [], "loans": [], "leases": {}, "warnings": []}', '{"method": "keep_row", "params": {"consumer": "/desk", "demand": 9, "allocated": 7, "waiting_since": 1700000042}}
{"method": "keep_clock", "params": {"now": 1700000047}}
');
INSERT INTO snapshots VALUES(19, 2, 0, 1, 1, 1700000003, '9b40c1fd1fa604308d98c5146afd0d02977869435ad8daa2ac444d44217e8724', '{"method": "keep_clock", "params": {"now": 1700000003}}
{"method": "keep_row", "params": {"consumer": "/night", "demand": 16, "allocated": 16}}
{"method": "session", "params": {"id": "s1", "consumer": "/night", "priority": 3, "created": 0, "scheduling": "proportional"}}
{"method": "session", "params": {"id": "s2", "consumer": "/night", "priority": 1, "created": 1699990000, "scheduling": "proportional"}}
{"method": "start", "params": {"id": "n10", "consumer": "/night", "slots": 1, "session": "s2", "host": "h1", "started": 1700000002}}
{"method": "start", "params": {"id": "n11", "consumer": "/night", "slots": 1, "session": "s2", "host": "h1", "started": 1700000002}}
{"method": "start", "params": {"id": "n12", "consumer": "/night", "slots": 1, "session": "s2", "host": "h1", "started": 1700000002}}
{"method": "start", "params": {"id": "n13", "consumer": "/night", "slots": 1, "session": "s2", "host": "h1", "started": 1700000002}}
{"method": "start", "params": {"id": "n14", "consumer": "/night", "slots": 1, "session": "s2", "host": "h1", "started": 1700000002}}
{"method": "start", "params": {"id": "n15", "consumer": "/night", "slots": 1, "session": "s2", "host": "h1", "started": 1700000002}}
{"method": "start", "params": {"id": "n20", "consumer": "/night", "slots": 1, "session": "s1", "host": "h2", "started": 1700000002}}
{"method": "start", "params": {"id": "n21", "consumer": "/night", "slots": 1, "session": "s1", "host": "h2", "started": 1700000002}}
{"method": "start", "params": {"id": "n22", "consumer": "/night", "slots": 1, "session": "s1", "host": "h2", "started": 1700000002}}
{"method": "start", "params": {"id": "n23", "consumer": "/night", "slots": 1, "session": "s1", "host": "h2", "started": 1700000002}}
{"method": "start", "params": {"id": "n24", "consumer": "/night", "slots": 1, "session": "s1", "host": "h2", "started": 1700000002}}
{"method": "start", "params": {"id": "n25", "consumer": "/night", "slots": 1, "session": "s1", "host": "h2", "started": 1700000002}}
{"method": "start", "params": {"id": "n30", "consumer": "/night", "slots": 1, "session": "s2", "host": "h3", "started": 1700000002}}
{"method": "start", "params": {"id": "n31", "consumer": "/night", "slots": 1, "session": "s2", "host": "h3", "started": 1700000002}}
{"method": "start", "params": {"id": "n32", "consumer": "/night", "slots": 1, "session": "s2", "host": "h3", "started": 1700000002}}
{"method": "start", "params": {"id": "n33", "consumer": "/night", "slots": 1, "session": "s2", "host": "h3", "started": 1700000002}}
');
INSERT INTO snapshots VALUES(30, 7, 0, 1, 4, 1700000013, '9b40c1fd1fa604308d98c5146afd0d02977869435ad8daa2ac444d44217e8724', '{"method": "keep_clock", "params": {"now": 1700000013}}
{"method": "keep_row", "params": {"consumer": "/desk", "demand": 5, "allocated": 5}}
{"method": "keep_row", "params": {"consumer": "/lab/x", "demand": 2, "waiting_since": 1700000011}}
{"method": "keep_row", "params": {"consumer": "/lab/y", "demand": 4, "waiting_since": 1700000011}}
{"method": "keep_row", "params": {"consumer": "/night", "demand": 16, "allocated": 11, "reclaimed_at": 1700000013}}
{"method": "session", "params": {"id": "s1", "consumer": "/night", "priority": 3, "created": 0, "scheduling": "proportional"}}
{"method": "session", "params": {"id": "s2", "consumer": "/night", "priority": 1, "created": 1699990000, "scheduling": "proportional"}}
{"method": "start", "params": {"id": "n10", "consumer": "/night", "slots": 1, "session": "s2", "host": "h1", "started": 1700000002}}
{"method": "start", "params": {"id": "n11", "consumer": "/night", "slots": 1, "session": "s2", "host": "h1", "started": 1700000002}}
{"method": "start", "params": {"id": "n12", "consumer": "/night", "slots": 1, "session": "s2", "host": "h1", "started": 1700000002}}
{"method": "start", "params": {"id": "n13", "consumer": "/night", "slots": 1, "session": "s2", "host": "h1", "started": 1700000002}}
{"method": "start", "params": {"id": "n14", "consumer": "/night", "slots": 1, "session": "s2", "host": "h1", "started": 1700000002}}
{"method": "start", "params": {"id": "n15", "consumer": "/night", "slots": 1, "session": "s2", "host": "h1", "started": 1700000002}}
{"method": "start", "params": {"id": "n20", "consumer": "/night", "slots": 1, "session": "s1", "host": "h2", "started": 1700000002}}
{"method": "start", "params": {"id": "n21", "consumer": "/night", "slots": 1, "session": "s1", "host": "h2", "started": 1700000002}}
{"method": "start", "params": {"id": "n22", "consumer": "/night", "slots": 1, "session": "s1", "host": "h2", "started": 1700000002}}
{"method": "start", "params": {"id": "n23", "consumer": "/night", "slots": 1, "session": "s1", "host": "h2", "started": 1700000002}}
{"method": "start", "params": {"id": "n24", "consumer": "/night", "slots": 1, "session": "s1", "host": "h2", "started": 1700000002}}
{"method": "start", "params": {"id": "d1", "consumer": "/desk", "slots": 1, "started": 1700000009, "tags": ["gold", "x"]}}
{"method": "start", "params": {"id": "d2", "consumer": "/desk", "slots": 1, "started": 1700000009, "tags": ["gold", "x"]}}
{"method": "start", "params": {"id": "d3", "consumer": "/desk", "slots": 1, "started": 1700000009, "tags": ["gold", "x"]}}
{"method": "keep_flight", "params": {"id": "r7.0", "consumer": "/night", "slots": 6, "deadline": 1700000014, "since": 1700000013}}
{"method": "keep_claim", "params": {"id": "r7.0", "for": "/lab/x", "slots": 2}}
{"method": "keep_claim", "params": {"id": "r7.0", "for": "/lab/y", "slots": 4}}
{"method": "keep_victim", "params": {"id": "r7.0", "task": "n24"}}
{"method": "keep_victim", "params": {"id": "r7.0", "task": "n23"}}
{"method": "keep_victim", "params": {"id": "r7.0", "task": "n22"}}
{"method": "keep_victim", "params": {"id": "r7.0", "task": "n21"}}
{"method": "keep_victim", "params": {"id": "r7.0", "task": "n20"}}
{"method": "keep_victim", "params": {"id": "r7.0", "task": "n15"}}
');
INSERT INTO snapshots VALUES(41, 12, 0, 1, 8, 1700000046, '9b40c1fd1fa604308d98c5146afd0d02977869435ad8daa2ac444d44217e8724', '{"method": "keep_clock", "params": {"now": 1700000046}}
{"method": "slots", "params": {"slots": 18}}
{"method": "keep_row", "params": {"consumer": "/desk", "demand": 9, "allocated": 7, "waiting_since": 1700000042}}
{"method": "keep_row", "params": {"consumer": "/lab/x", "demand": 2, "allocated": 2}}
{"method": "keep_row", "params": {"consumer": "/lab/y", "demand": 4, "allocated": 4, "reclaimed_at": 1700000016}}
{"method": "keep_row", "params": {"consumer": "/night", "demand": 16, "allocated": 5, "reclaimed_at": 1700000016}}
{"method": "host", "params": {"name": "h3", "slots": 4, "closed": "drain", "load": 0.500}}
{"method": "host", "params": {"name": "h4", "slots": 4, "closed": false}}
{"method": "session", "params": {"id": "s2", "consumer": "/night", "priority": 1, "created": 1699990000, "scheduling": "proportional"}}
{"method": "start", "params": {"id": "n10", "consumer": "/night", "slots": 1, "session": "s2", "host": "h1", "started": 1700000002}}
{"method": "start", "params": {"id": "n11", "consumer": "/night", "slots": 1, "session": "s2", "host": "h1", "started": 1700000002}}
{"method": "start", "params": {"id": "n12", "consumer": "/night", "slots": 1, "session": "s2", "host": "h1", "started": 1700000002}}
{"method": "start", "params": {"id": "n13", "consumer": "/night", "slots": 1, "session": "s2", "host": "h1", "started": 1700000002, "told": true}}
{"method": "start", "params": {"id": "n14", "consumer": "/night", "slots": 1, "session": "s2", "host": "h1", "started": 1700000002, "told": true}}
{"method": "start", "params": {"id": "d1", "consumer": "/desk", "slots": 1, "started": 1700000009, "tags": ["gold", "x"]}}
{"method": "start", "params": {"id": "d2", "consumer": "/desk", "slots": 1, "started": 1700000009, "tags": ["gold", "x"]}}
{"method": "start", "params": {"id": "d3", "consumer": "/desk", "slots": 1, "started": 1700000009, "tags": ["gold", "x"]}}
{"method": "keep_flight", "params": {"id": "r9.0", "consumer": "/night", "slots": 2, "deadline": 1700000017, "since": 1700000016}}
{"method": "keep_victim", "params": {"id": "r9.0", "task": "n14"}}
{"method": "keep_victim", "params": {"id": "r9.0", "task": "n13"}}
{"method": "keep_flight", "params": {"id": "r9.1", "consumer": "/lab/y", "slots": 2, "deadline": 1700000016, "since": 1700000016}}
');
