CREATE TABLE "grants" (
	"user_id" bigint NOT NULL,
	"group_id" bigint NOT NULL,
	"level" text collate "C" NOT NULL,
	CONSTRAINT "grants_user_id_group_id_pk" PRIMARY KEY("user_id","group_id")
);

--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "restricted" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "grants" ADD CONSTRAINT "grants_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "grants" ADD CONSTRAINT "grants_group_id_host_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."host_groups"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "grants_by_group" ON "grants" USING btree ("group_id");