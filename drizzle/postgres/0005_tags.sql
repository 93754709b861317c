CREATE TABLE "host_tags" (
	"host_id" bigint NOT NULL,
	"name" text collate "C" NOT NULL,
	"value" text collate "C" DEFAULT '' NOT NULL,
	CONSTRAINT "host_tags_host_id_name_value_pk" PRIMARY KEY("host_id","name","value")
);

--> statement-breakpoint
ALTER TABLE "host_tags" ADD CONSTRAINT "host_tags_host_id_hosts_id_fk" FOREIGN KEY ("host_id") REFERENCES "public"."hosts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "host_tags_by_name" ON "host_tags" USING btree ("name","value","host_id");