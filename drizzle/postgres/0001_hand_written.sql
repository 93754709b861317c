-- Written by hand: what the tables of src/platform/storage/schema do not say, as only PostgreSQL has it.
--
-- Which Muster is active. Every node asks for the lease; one holds it, renews it, and writes under its epoch.
CREATE TABLE "muster_lease" (
	"only" boolean PRIMARY KEY DEFAULT true CHECK ("only"),
	"epoch" bigint NOT NULL,
	"node" text NOT NULL,
	"until" timestamptz NOT NULL
);
--> statement-breakpoint
INSERT INTO "muster_lease" ("epoch", "node", "until") VALUES (0, '', '-infinity');
--> statement-breakpoint
-- The nodes, as each describes itself, and under which epoch it was last active.
CREATE TABLE "muster_nodes" (
	"name" text COLLATE "C" PRIMARY KEY,
	"version" text NOT NULL,
	"seen_at" bigint NOT NULL,
	"epoch" bigint,
	-- Tells the processes of one name apart; null when the last one of them ended in order.
	"instance" text
);
--> statement-breakpoint
-- Part of every transaction that writes: fails when another node took the lease, and keeps others from taking it
-- before the transaction ends.
CREATE FUNCTION "muster_hold_lease"(own_epoch bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM 1 FROM muster_lease WHERE epoch = own_epoch AND until > clock_timestamp() FOR SHARE;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'this node is not the active one any more' USING ERRCODE = 'MU001';
	END IF;
END $$;
--> statement-breakpoint
-- Rows that every message changes in place: room beside them keeps such a change out of the indexes.
ALTER TABLE "hosts" SET (fillfactor = 70);
--> statement-breakpoint
-- Every message would move the entry of its host in this index, and with it those in all other indexes of the row.
DROP INDEX "hosts_now";
