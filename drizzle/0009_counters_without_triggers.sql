-- The counts of events and hosts are kept by functions now (event-counts, group-counts and host-counts.repository).
DROP TRIGGER events_count_new;--> statement-breakpoint
DROP TRIGGER events_count_gone;--> statement-breakpoint
DROP TRIGGER events_stay_as_counted;--> statement-breakpoint
DROP TRIGGER host_group_members_count_new;--> statement-breakpoint
DROP TRIGGER host_group_members_count_gone;--> statement-breakpoint
DROP TRIGGER host_groups_counts_gone;--> statement-breakpoint
DROP TRIGGER hosts_changes_gone;--> statement-breakpoint
DROP TRIGGER hosts_count_new;--> statement-breakpoint
DROP TRIGGER hosts_count_gone;--> statement-breakpoint
DROP TRIGGER hosts_count_changed;--> statement-breakpoint
DROP VIEW counted_groups;
