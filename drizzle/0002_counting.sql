-- Rows that are found by their whole key and changed in place: without row ids there is one tree less to keep.
DROP TABLE event_counts;
--> statement-breakpoint
CREATE TABLE event_counts (
	scope integer NOT NULL,
	day integer NOT NULL,
	service_type integer NOT NULL,
	event_type integer NOT NULL,
	state integer NOT NULL,
	n integer NOT NULL,
	PRIMARY KEY(scope, day, service_type, event_type, state)
) WITHOUT ROWID;
--> statement-breakpoint
DROP TABLE event_name_counts;
--> statement-breakpoint
CREATE TABLE event_name_counts (
	group_id integer NOT NULL,
	name_id integer NOT NULL,
	n integer NOT NULL,
	PRIMARY KEY(group_id, name_id)
) WITHOUT ROWID;
--> statement-breakpoint
DROP TABLE group_count_changes;
--> statement-breakpoint
CREATE TABLE group_count_changes (
	host_id integer NOT NULL,
	group_id integer NOT NULL,
	sign integer NOT NULL,
	PRIMARY KEY(host_id, group_id)
) WITHOUT ROWID;
--> statement-breakpoint
-- The groups in whose counts a host's events are.
CREATE VIEW counted_groups AS
SELECT host_id, group_id FROM host_group_members m
WHERE NOT EXISTS (SELECT 1 FROM group_count_changes c WHERE c.host_id = m.host_id AND c.group_id = m.group_id)
UNION ALL
SELECT host_id, group_id FROM group_count_changes WHERE sign < 0;
--> statement-breakpoint
CREATE TRIGGER events_count_new AFTER INSERT ON events BEGIN
	INSERT INTO event_counts (scope, day, service_type, event_type, state, n)
	SELECT scope.column1, new.date / 86400 - (new.date < 0), new.service_type, new.event_type, new.state, 1
	FROM (VALUES (0), (new.name_id)) AS scope WHERE true
	ON CONFLICT DO UPDATE SET n = n + 1;
	INSERT INTO event_counts (scope, day, service_type, event_type, state, n)
	SELECT -group_id, new.date / 86400 - (new.date < 0), new.service_type, new.event_type, new.state, 1
	FROM counted_groups WHERE host_id = new.host_id
	ON CONFLICT DO UPDATE SET n = n + 1;
	INSERT INTO event_name_counts (group_id, name_id, n)
	SELECT group_id, new.name_id, 1 FROM counted_groups WHERE host_id = new.host_id
	ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER events_count_gone AFTER DELETE ON events BEGIN
	UPDATE event_counts SET n = n - 1
	WHERE scope IN (SELECT 0 UNION ALL SELECT old.name_id UNION ALL SELECT -group_id FROM counted_groups WHERE host_id = old.host_id)
		AND day = old.date / 86400 - (old.date < 0) AND service_type = old.service_type AND event_type = old.event_type AND state = old.state;
	DELETE FROM event_counts
	WHERE scope IN (SELECT 0 UNION ALL SELECT old.name_id UNION ALL SELECT -group_id FROM counted_groups WHERE host_id = old.host_id)
		AND day = old.date / 86400 - (old.date < 0) AND service_type = old.service_type AND event_type = old.event_type AND state = old.state AND n = 0;
	UPDATE event_name_counts SET n = n - 1
	WHERE group_id IN (SELECT group_id FROM counted_groups WHERE host_id = old.host_id) AND name_id = old.name_id;
	DELETE FROM event_name_counts
	WHERE group_id IN (SELECT group_id FROM counted_groups WHERE host_id = old.host_id) AND name_id = old.name_id AND n = 0;
END;
--> statement-breakpoint
CREATE TRIGGER events_stay_as_counted
BEFORE UPDATE OF host_id, name_id, service_type, date, event_type, state ON events BEGIN
	SELECT RAISE(ABORT, 'what events are counted by does not change');
END;
--> statement-breakpoint
-- A host without events changes no count.
CREATE TRIGGER host_group_members_count_new AFTER INSERT ON host_group_members
WHEN EXISTS (SELECT 1 FROM events WHERE host_id = new.host_id)
	OR EXISTS (SELECT 1 FROM group_count_changes WHERE host_id = new.host_id AND group_id = new.group_id)
BEGIN
	INSERT INTO group_count_changes (host_id, group_id, sign) VALUES (new.host_id, new.group_id, 1)
	ON CONFLICT DO UPDATE SET sign = sign + 1;
	DELETE FROM group_count_changes WHERE host_id = new.host_id AND group_id = new.group_id AND sign = 0;
END;
--> statement-breakpoint
-- With a group its counts go as a whole.
CREATE TRIGGER host_group_members_count_gone AFTER DELETE ON host_group_members
WHEN EXISTS (SELECT 1 FROM host_groups WHERE id = old.group_id)
	AND (EXISTS (SELECT 1 FROM events WHERE host_id = old.host_id)
		OR EXISTS (SELECT 1 FROM group_count_changes WHERE host_id = old.host_id AND group_id = old.group_id))
BEGIN
	INSERT INTO group_count_changes (host_id, group_id, sign) VALUES (old.host_id, old.group_id, -1)
	ON CONFLICT DO UPDATE SET sign = sign - 1;
	DELETE FROM group_count_changes WHERE host_id = old.host_id AND group_id = old.group_id AND sign = 0;
END;
--> statement-breakpoint
CREATE TRIGGER host_groups_counts_gone AFTER DELETE ON host_groups BEGIN
	DELETE FROM event_counts WHERE scope = -old.id;
	DELETE FROM event_name_counts WHERE group_id = old.id;
	DELETE FROM group_count_changes WHERE group_id = old.id;
END;
--> statement-breakpoint
CREATE TRIGGER hosts_changes_gone AFTER DELETE ON hosts BEGIN
	DELETE FROM group_count_changes WHERE host_id = old.id;
END;
--> statement-breakpoint
INSERT INTO event_counts (scope, day, service_type, event_type, state, n)
SELECT 0, date / 86400 - (date < 0), service_type, event_type, state, count(*) FROM events GROUP BY 2, 3, 4, 5;
--> statement-breakpoint
INSERT INTO event_counts (scope, day, service_type, event_type, state, n)
SELECT name_id, date / 86400 - (date < 0), service_type, event_type, state, count(*) FROM events GROUP BY 1, 2, 3, 4, 5;
--> statement-breakpoint
INSERT INTO event_counts (scope, day, service_type, event_type, state, n)
SELECT -group_id, date / 86400 - (date < 0), service_type, event_type, state, count(*)
FROM host_group_members m JOIN events ON events.host_id = m.host_id GROUP BY 1, 2, 3, 4, 5;
--> statement-breakpoint
INSERT INTO event_name_counts (group_id, name_id, n)
SELECT group_id, name_id, count(*)
FROM host_group_members m JOIN events ON events.host_id = m.host_id GROUP BY 1, 2;
--> statement-breakpoint
DROP TABLE host_counts;
--> statement-breakpoint
CREATE TABLE host_counts (
	status integer NOT NULL,
	stopped integer NOT NULL,
	heartbeat integer NOT NULL,
	led integer NOT NULL,
	n integer NOT NULL,
	PRIMARY KEY(status, stopped, heartbeat, led)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TRIGGER hosts_count_new AFTER INSERT ON hosts BEGIN
	INSERT INTO host_counts (status, stopped, heartbeat, led, n)
	VALUES (new.status, new.stopped, new.heartbeat, new.led, 1)
	ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
CREATE TRIGGER hosts_count_gone AFTER DELETE ON hosts BEGIN
	UPDATE host_counts SET n = n - 1
	WHERE status = old.status AND stopped = old.stopped AND heartbeat = old.heartbeat AND led = old.led;
END;
--> statement-breakpoint
CREATE TRIGGER hosts_count_changed AFTER UPDATE OF status, stopped, heartbeat, led ON hosts BEGIN
	UPDATE host_counts SET n = n - 1
	WHERE status = old.status AND stopped = old.stopped AND heartbeat = old.heartbeat AND led = old.led;
	INSERT INTO host_counts (status, stopped, heartbeat, led, n)
	VALUES (new.status, new.stopped, new.heartbeat, new.led, 1)
	ON CONFLICT DO UPDATE SET n = n + 1;
END;
--> statement-breakpoint
INSERT INTO host_counts (status, stopped, heartbeat, led, n)
SELECT status, stopped, heartbeat, led, count(*) FROM hosts GROUP BY 1, 2, 3, 4;
