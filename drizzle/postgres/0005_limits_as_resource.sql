ALTER TABLE "limits" RENAME COLUMN "per_processor" TO "perprocessor";--> statement-breakpoint
ALTER TABLE "limits" RENAME COLUMN "hold" TO "minutes";--> statement-breakpoint
ALTER TABLE "limits" RENAME COLUMN "clear_value" TO "clearvalue";--> statement-breakpoint
ALTER TABLE "limits" RENAME COLUMN "clear_after" TO "clearminutes";--> statement-breakpoint
ALTER TABLE "limits" ADD "direction" text DEFAULT 'above' NOT NULL;--> statement-breakpoint
UPDATE "limits" SET "direction" = 'below' WHERE "below";--> statement-breakpoint
ALTER TABLE "limits" DROP COLUMN "below";--> statement-breakpoint
UPDATE "limits" SET "minutes" = "minutes" / 60, "clearminutes" = "clearminutes" / 60;--> statement-breakpoint
UPDATE "limits" SET "filter" = replace(replace("filter", '"hostids":', '"hosts":'), '"hostgroupids":', '"hostgroups":');--> statement-breakpoint
UPDATE "rules" SET "filter" = replace(replace("filter", '"hostids":', '"hosts":'), '"hostgroupids":', '"hostgroups":');--> statement-breakpoint
UPDATE "maintenance_windows" SET "filter" = replace(replace("filter", '"hostids":', '"hosts":'), '"hostgroupids":', '"hostgroups":');
