CREATE TABLE "contacts" (
	"user_id" bigint NOT NULL,
	"channel_id" bigint NOT NULL,
	CONSTRAINT "contacts_user_id_channel_id_pk" PRIMARY KEY("user_id","channel_id")
);

--> statement-breakpoint
CREATE TABLE "rule_schedules" (
	"rule_id" bigint NOT NULL,
	"step" bigint NOT NULL,
	"schedule_id" bigint NOT NULL,
	CONSTRAINT "rule_schedules_rule_id_step_schedule_id_pk" PRIMARY KEY("rule_id","step","schedule_id")
);

--> statement-breakpoint
CREATE TABLE "rule_users" (
	"rule_id" bigint NOT NULL,
	"step" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	CONSTRAINT "rule_users_rule_id_step_user_id_pk" PRIMARY KEY("rule_id","step","user_id")
);

--> statement-breakpoint
ALTER TABLE "alerts" ADD COLUMN "escalations" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "person" text collate "C" DEFAULT '' NOT NULL;
--> statement-breakpoint
ALTER TABLE "rules" ADD COLUMN "step_minutes" text collate "C" DEFAULT '[0]' NOT NULL;
--> statement-breakpoint
ALTER TABLE "contacts" ADD CONSTRAINT "contacts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "contacts" ADD CONSTRAINT "contacts_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "rule_schedules" ADD CONSTRAINT "rule_schedules_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "rule_schedules" ADD CONSTRAINT "rule_schedules_schedule_id_on_call_schedules_id_fk" FOREIGN KEY ("schedule_id") REFERENCES "public"."on_call_schedules"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "rule_users" ADD CONSTRAINT "rule_users_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "rule_users" ADD CONSTRAINT "rule_users_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "contacts_by_channel" ON "contacts" USING btree ("channel_id");
--> statement-breakpoint
CREATE INDEX "rule_schedules_by_schedule" ON "rule_schedules" USING btree ("schedule_id");
--> statement-breakpoint
CREATE INDEX "rule_users_by_user" ON "rule_users" USING btree ("user_id");