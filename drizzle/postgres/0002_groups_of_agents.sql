ALTER TABLE "host_groups" ADD COLUMN "named_by_hand" boolean DEFAULT true NOT NULL;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "groups_left_out" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE INDEX "group_count_changes_by_group" ON "group_count_changes" USING btree ("group_id");
--> statement-breakpoint
CREATE INDEX "host_groups_of_agents" ON "host_groups" USING btree ("id") WHERE "named_by_hand" = false;