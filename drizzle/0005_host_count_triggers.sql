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
