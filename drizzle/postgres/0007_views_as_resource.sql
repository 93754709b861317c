UPDATE "saved_views" SET "content" = replace(replace(replace(replace("content", '"type":', '"statistics":'), '"hostgroupid":', '"hostgroup":'), '"hostid":', '"hosts":'), '"serviceid":', '"services":');--> statement-breakpoint
UPDATE "saved_views" SET "content" = ('{"descriptor":"","hostgroup":null}'::jsonb || "content"::jsonb)::text;
