CREATE TABLE "suspected_failures" (
	"host_id" bigint NOT NULL,
	"service_id" bigint NOT NULL,
	"event_type" bigint NOT NULL,
	"since" bigint NOT NULL,
	"collected_sec" bigint NOT NULL,
	"received_at" bigint NOT NULL,
	CONSTRAINT "suspected_failures_service_id_event_type_pk" PRIMARY KEY("service_id","event_type")
);

--> statement-breakpoint
ALTER TABLE "suspected_failures" ADD CONSTRAINT "suspected_failures_host_id_hosts_id_fk" FOREIGN KEY ("host_id") REFERENCES "public"."hosts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "suspected_failures" ADD CONSTRAINT "suspected_failures_service_id_services_id_fk" FOREIGN KEY ("service_id") REFERENCES "public"."services"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "suspected_failures_by_host" ON "suspected_failures" USING btree ("host_id");