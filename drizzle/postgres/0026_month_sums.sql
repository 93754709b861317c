CREATE TABLE "limit_sums" (
	"limit_id" bigint NOT NULL,
	"host_id" bigint NOT NULL,
	"name_id" bigint NOT NULL,
	"month_from" bigint NOT NULL,
	"counted_from" bigint NOT NULL,
	"sum" double precision NOT NULL,
	"at" bigint NOT NULL,
	"counters" text collate "C" NOT NULL,
	CONSTRAINT "limit_sums_limit_id_host_id_name_id_pk" PRIMARY KEY("limit_id","host_id","name_id")
);

--> statement-breakpoint
ALTER TABLE "limits" ADD COLUMN "period" text collate "C" DEFAULT 'message' NOT NULL;
--> statement-breakpoint
ALTER TABLE "limits" ADD COLUMN "timezone" text collate "C" DEFAULT 'UTC' NOT NULL;
--> statement-breakpoint
ALTER TABLE "limit_sums" ADD CONSTRAINT "limit_sums_limit_id_limits_id_fk" FOREIGN KEY ("limit_id") REFERENCES "public"."limits"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "limit_sums" ADD CONSTRAINT "limit_sums_host_id_hosts_id_fk" FOREIGN KEY ("host_id") REFERENCES "public"."hosts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "limit_sums" ADD CONSTRAINT "limit_sums_name_id_names_id_fk" FOREIGN KEY ("name_id") REFERENCES "public"."names"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "limit_sums_by_host" ON "limit_sums" USING btree ("host_id");
--> statement-breakpoint
CREATE INDEX "limit_sums_by_name" ON "limit_sums" USING btree ("name_id");