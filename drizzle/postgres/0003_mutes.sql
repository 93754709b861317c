ALTER TABLE "maintenance_windows" ALTER COLUMN "name" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "maintenance_windows" ADD COLUMN "muted_by" text collate "C";
--> statement-breakpoint
ALTER TABLE "maintenance_windows" ADD COLUMN "note" text collate "C" DEFAULT '' NOT NULL;
--> statement-breakpoint
ALTER TABLE "maintenance_windows" ADD COLUMN "leased_until" bigint;
--> statement-breakpoint
ALTER TABLE "maintenance_windows" ADD COLUMN "grace" bigint DEFAULT 0 NOT NULL;