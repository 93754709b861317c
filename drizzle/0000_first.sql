CREATE TABLE `acknowledge_links` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hash` text NOT NULL,
	`delivery_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `acknowledge_links_hash_unique` ON `acknowledge_links` (`hash`);--> statement-breakpoint
CREATE INDEX `acknowledge_links_by_delivery` ON `acknowledge_links` (`delivery_id`);--> statement-breakpoint
CREATE TABLE `acknowledgements` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` integer NOT NULL,
	`uname` text NOT NULL,
	`note` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`until` integer,
	`ended_at` integer,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `acknowledgements_by_event` ON `acknowledgements` (`event_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `acknowledgements_open` ON `acknowledgements` (`event_id`) WHERE "acknowledgements"."ended_at" is null;--> statement-breakpoint
CREATE TABLE `alerts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`rule_id` integer NOT NULL,
	`event_id` integer NOT NULL,
	`host_id` integer NOT NULL,
	`name_id` integer NOT NULL,
	`event_type` integer NOT NULL,
	`limit_id` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`due_at` integer,
	`notified_at` integer,
	`escalations` integer DEFAULT 0 NOT NULL,
	`flapping_at` integer,
	`closed_at` integer,
	`outcome` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`name_id`) REFERENCES `names`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_once` ON `alerts` (`event_id`,`rule_id`);--> statement-breakpoint
CREATE INDEX `alerts_open_of_check` ON `alerts` (`host_id`,`name_id`,`event_type`,`limit_id`) WHERE "alerts"."closed_at" is null;--> statement-breakpoint
CREATE INDEX `alerts_due` ON `alerts` (`due_at`) WHERE "alerts"."due_at" is not null;--> statement-breakpoint
CREATE INDEX `alerts_by_rule` ON `alerts` (`rule_id`);--> statement-breakpoint
CREATE INDEX `alerts_by_host` ON `alerts` (`host_id`);--> statement-breakpoint
CREATE INDEX `alerts_by_name` ON `alerts` (`name_id`);--> statement-breakpoint
CREATE TABLE `api_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`token_hash` text NOT NULL,
	`scope` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_tokens_tokenHash_unique` ON `api_tokens` (`token_hash`);--> statement-breakpoint
CREATE INDEX `api_tokens_by_user` ON `api_tokens` (`user_id`);--> statement-breakpoint
CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`date` integer NOT NULL,
	`uname` text DEFAULT '' NOT NULL,
	`address` text DEFAULT '' NOT NULL,
	`via` text NOT NULL,
	`token` text DEFAULT '' NOT NULL,
	`operation` text NOT NULL,
	`subject` text DEFAULT '' NOT NULL,
	`subject_id` text DEFAULT '' NOT NULL,
	`subject_name` text DEFAULT '' NOT NULL,
	`details` text DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_by_date` ON `audit` (`date`);--> statement-breakpoint
CREATE INDEX `audit_by_user` ON `audit` (`uname`,`id`);--> statement-breakpoint
CREATE INDEX `audit_by_operation` ON `audit` (`operation`,`id`);--> statement-breakpoint
CREATE INDEX `audit_of_strangers` ON `audit` (`id`) WHERE "audit"."via" = 'none';--> statement-breakpoint
CREATE TABLE `channels` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`settings` text NOT NULL,
	`created_at` integer NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`held_until` integer,
	`last_at` integer,
	`last_outcome` text,
	`last_answer` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `channels_name_unique` ON `channels` (`name`);--> statement-breakpoint
CREATE TABLE `contacts` (
	`user_id` integer NOT NULL,
	`channel_id` integer NOT NULL,
	PRIMARY KEY(`user_id`, `channel_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `contacts_by_channel` ON `contacts` (`channel_id`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`rule_id` integer,
	`channel_id` integer,
	`rule_name` text NOT NULL,
	`channel_name` text NOT NULL,
	`recipient` text DEFAULT '' NOT NULL,
	`person` text DEFAULT '' NOT NULL,
	`kind` text NOT NULL,
	`created_at` integer NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_at` integer,
	`finished_at` integer,
	`answer` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`next_at`) WHERE "deliveries"."next_at" is not null;--> statement-breakpoint
CREATE INDEX `deliveries_by_date` ON `deliveries` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_by_rule` ON `deliveries` (`rule_id`);--> statement-breakpoint
CREATE INDEX `deliveries_by_channel` ON `deliveries` (`channel_id`);--> statement-breakpoint
CREATE INDEX `deliveries_waiting` ON `deliveries` (`channel_id`,`next_at`) WHERE "deliveries"."next_at" is not null;--> statement-breakpoint
CREATE TABLE `delivery_events` (
	`delivery_id` integer NOT NULL,
	`event_id` integer NOT NULL,
	PRIMARY KEY(`delivery_id`, `event_id`),
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `delivery_events_by_event` ON `delivery_events` (`event_id`);--> statement-breakpoint
CREATE TABLE `dependencies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`host_id` integer NOT NULL,
	`service` text DEFAULT '' NOT NULL,
	`cause_host_id` integer NOT NULL,
	`cause_service` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`cause_host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `dependencies_once` ON `dependencies` (`host_id`,`service`,`cause_host_id`,`cause_service`);--> statement-breakpoint
CREATE INDEX `dependencies_by_cause` ON `dependencies` (`cause_host_id`);--> statement-breakpoint
CREATE TABLE `downtime_intervals` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`host_id` integer NOT NULL,
	`name_id` integer NOT NULL,
	`event_type` integer NOT NULL,
	`limit_id` integer DEFAULT 0 NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	`incarnation` integer DEFAULT 0 NOT NULL,
	`clear_count` integer DEFAULT 0 NOT NULL,
	`clear_since` integer DEFAULT 0 NOT NULL,
	`clear_collected_sec` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`name_id`) REFERENCES `names`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `downtime_of_check_by_start` ON `downtime_intervals` (`host_id`,`name_id`,`event_type`,`limit_id`,`started_at`);--> statement-breakpoint
CREATE INDEX `downtime_open` ON `downtime_intervals` (`host_id`) WHERE "downtime_intervals"."ended_at" is null;--> statement-breakpoint
CREATE INDEX `downtime_by_end` ON `downtime_intervals` (`ended_at`);--> statement-breakpoint
CREATE INDEX `downtime_by_name` ON `downtime_intervals` (`name_id`);--> statement-breakpoint
CREATE INDEX `downtime_of_silence` ON `downtime_intervals` (`host_id`,`started_at`) WHERE "downtime_intervals"."event_type" = 1048576;--> statement-breakpoint
CREATE TABLE `event_counts` (
	`scope` integer NOT NULL,
	`day` integer NOT NULL,
	`service_type` integer NOT NULL,
	`event_type` integer NOT NULL,
	`state` integer NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`scope`, `day`, `service_type`, `event_type`, `state`)
);
--> statement-breakpoint
CREATE TABLE `event_name_counts` (
	`group_id` integer NOT NULL,
	`name_id` integer NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`group_id`, `name_id`)
);
--> statement-breakpoint
CREATE TABLE `event_notes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` integer NOT NULL,
	`date` integer NOT NULL,
	`uname` text NOT NULL,
	`message` text NOT NULL,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `event_notes_by_event` ON `event_notes` (`event_id`);--> statement-breakpoint
CREATE TABLE `event_word_sets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`words` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `event_word_sets_words_unique` ON `event_word_sets` (`words`);--> statement-breakpoint
CREATE TABLE `event_words` (
	`word` text NOT NULL,
	`set_id` integer NOT NULL,
	PRIMARY KEY(`word`, `set_id`),
	FOREIGN KEY (`set_id`) REFERENCES `event_word_sets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `event_words_by_set` ON `event_words` (`set_id`);--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`host_id` integer NOT NULL,
	`name_id` integer NOT NULL,
	`service_type` integer NOT NULL,
	`date` integer NOT NULL,
	`collected_sec` integer NOT NULL,
	`collected_usec` integer NOT NULL,
	`event_type` integer NOT NULL,
	`state` integer NOT NULL,
	`action` integer NOT NULL,
	`message` text NOT NULL,
	`word_set_id` integer,
	`active` integer DEFAULT false NOT NULL,
	`dismissed` integer DEFAULT false NOT NULL,
	`noted` integer DEFAULT false NOT NULL,
	`limit_id` integer DEFAULT 0 NOT NULL,
	`severity` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`name_id`) REFERENCES `names`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`word_set_id`) REFERENCES `event_word_sets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `events_once` ON `events` (`host_id`,`name_id`,`event_type`,`limit_id`,`state`,`collected_sec`,`collected_usec`);--> statement-breakpoint
CREATE INDEX `events_of_check_by_date` ON `events` (`host_id`,`name_id`,`event_type`,`limit_id`,`date`);--> statement-breakpoint
CREATE INDEX `events_by_date` ON `events` (`date`,`id`);--> statement-breakpoint
CREATE INDEX `events_by_host_and_date` ON `events` (`host_id`,`date`,`id`);--> statement-breakpoint
CREATE INDEX `events_by_service_name_and_date` ON `events` (`name_id`,`date`,`id`);--> statement-breakpoint
CREATE INDEX `events_active_by_date` ON `events` (`date`,`id`,`host_id`,`name_id`,`dismissed`,`state`,`service_type`,`event_type`) WHERE "events"."active" = 1;--> statement-breakpoint
CREATE INDEX `events_by_word_set` ON `events` (`word_set_id`);--> statement-breakpoint
CREATE INDEX `events_noted` ON `events` (`id`) WHERE "events"."noted" = 1;--> statement-breakpoint
CREATE TABLE `excluded_intervals` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`host_id` integer,
	`service_id` integer,
	`reason` text NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `excluded_by_host` ON `excluded_intervals` (`host_id`,`service_id`,`started_at`);--> statement-breakpoint
CREATE INDEX `excluded_whole_hosts` ON `excluded_intervals` (`host_id`,`started_at`) WHERE "excluded_intervals"."service_id" is null;--> statement-breakpoint
CREATE INDEX `excluded_by_service` ON `excluded_intervals` (`service_id`);--> statement-breakpoint
CREATE INDEX `excluded_by_end` ON `excluded_intervals` (`ended_at`);--> statement-breakpoint
CREATE TABLE `forecasts` (
	`statistic_id` integer PRIMARY KEY NOT NULL,
	`host_id` integer NOT NULL,
	`calculated_at` integer NOT NULL,
	`usage` real NOT NULL,
	`growth` real NOT NULL,
	`full_at` integer NOT NULL,
	`earliest` integer NOT NULL,
	`latest` integer,
	FOREIGN KEY (`statistic_id`) REFERENCES `statistics`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `forecasts_by_date` ON `forecasts` (`full_at`,`statistic_id`);--> statement-breakpoint
CREATE INDEX `forecasts_by_host` ON `forecasts` (`host_id`);--> statement-breakpoint
CREATE TABLE `grants` (
	`user_id` integer NOT NULL,
	`group_id` integer NOT NULL,
	`level` text NOT NULL,
	PRIMARY KEY(`user_id`, `group_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`group_id`) REFERENCES `host_groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `grants_by_group` ON `grants` (`group_id`);--> statement-breakpoint
CREATE TABLE `group_count_changes` (
	`host_id` integer NOT NULL,
	`group_id` integer NOT NULL,
	`sign` integer NOT NULL,
	PRIMARY KEY(`host_id`, `group_id`)
);
--> statement-breakpoint
CREATE TABLE `history_blocks` (
	`host_id` integer NOT NULL,
	`resolution` integer NOT NULL,
	`start` integer NOT NULL,
	`payload` blob NOT NULL,
	PRIMARY KEY(`host_id`, `resolution`, `start`),
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `history_blocks_by_age` ON `history_blocks` (`resolution`,`start`,`host_id`);--> statement-breakpoint
CREATE TABLE `host_counts` (
	`status` integer NOT NULL,
	`stopped` integer NOT NULL,
	`heartbeat` integer NOT NULL,
	`led` integer NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`status`, `stopped`, `heartbeat`, `led`)
);
--> statement-breakpoint
CREATE TABLE `host_group_members` (
	`group_id` integer NOT NULL,
	`host_id` integer NOT NULL,
	`by_hand` integer DEFAULT false NOT NULL,
	`by_agent` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`group_id`, `host_id`),
	FOREIGN KEY (`group_id`) REFERENCES `host_groups`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `host_group_members_by_host` ON `host_group_members` (`host_id`);--> statement-breakpoint
CREATE TABLE `host_groups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`name_key` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `host_groups_name_unique` ON `host_groups` (`name`);--> statement-breakpoint
CREATE INDEX `host_groups_by_key` ON `host_groups` (`name_key`,`id`);--> statement-breakpoint
CREATE TABLE `host_tags` (
	`host_id` integer NOT NULL,
	`name` text NOT NULL,
	`value` text DEFAULT '' NOT NULL,
	PRIMARY KEY(`host_id`, `name`, `value`),
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `host_tags_by_name` ON `host_tags` (`name`,`value`,`host_id`);--> statement-breakpoint
CREATE TABLE `hosts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`agent_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`hostname` text NOT NULL,
	`hostname_key` text DEFAULT '' NOT NULL,
	`keepname` integer DEFAULT false NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`ipaddrout` text DEFAULT '' NOT NULL,
	`portout` integer DEFAULT -1 NOT NULL,
	`sslout` integer DEFAULT -1 NOT NULL,
	`sslverify` integer DEFAULT true NOT NULL,
	`agentuser` text DEFAULT '' NOT NULL,
	`agentpassword` text DEFAULT '' NOT NULL,
	`credentials_set_by_admin` integer DEFAULT false NOT NULL,
	`skew` integer DEFAULT 3 NOT NULL,
	`ipaddrin` text DEFAULT '' NOT NULL,
	`portin` integer DEFAULT -1 NOT NULL,
	`sslin` integer DEFAULT false NOT NULL,
	`poll` integer NOT NULL,
	`incarnation` integer NOT NULL,
	`earlier_incarnation` integer,
	`clock_offset` integer DEFAULT 0 NOT NULL,
	`agent_version` text DEFAULT '' NOT NULL,
	`control_file` text DEFAULT '' NOT NULL,
	`start_delay` integer DEFAULT 0 NOT NULL,
	`agent_uptime` integer DEFAULT 0 NOT NULL,
	`platform_name` text DEFAULT '' NOT NULL,
	`platform_release` text DEFAULT '' NOT NULL,
	`platform_version` text DEFAULT '' NOT NULL,
	`platform_machine` text DEFAULT '' NOT NULL,
	`cpu_count` integer DEFAULT 0 NOT NULL,
	`memory_kb` integer DEFAULT 0 NOT NULL,
	`swap_kb` integer DEFAULT 0 NOT NULL,
	`unreadable` text DEFAULT '' NOT NULL,
	`status` integer DEFAULT 0 NOT NULL,
	`stopped` integer DEFAULT false NOT NULL,
	`stop_told_at` integer,
	`heartbeat` integer DEFAULT 1 NOT NULL,
	`deadline` integer NOT NULL,
	`lastmodified` integer NOT NULL,
	`conflict` text DEFAULT '' NOT NULL,
	`led` integer DEFAULT 3 NOT NULL,
	`status_text` text DEFAULT '' NOT NULL,
	`cpu` real DEFAULT -1 NOT NULL,
	`mem` real DEFAULT -1 NOT NULL,
	`events` integer DEFAULT 0 NOT NULL,
	`services_total` integer DEFAULT 0 NOT NULL,
	`services_ok` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `hosts_agentId_unique` ON `hosts` (`agent_id`);--> statement-breakpoint
CREATE INDEX `hosts_now` ON `hosts` (`status`,`deadline`,`hostname_key`,`cpu`,`mem`,`led`);--> statement-breakpoint
CREATE INDEX `hosts_by_name` ON `hosts` (`hostname_key`,`id`);--> statement-breakpoint
CREATE INDEX `hosts_by_led` ON `hosts` (`led`,`hostname_key`);--> statement-breakpoint
CREATE INDEX `hosts_by_status_text` ON `hosts` (`status_text`,`hostname_key`);--> statement-breakpoint
CREATE INDEX `hosts_by_events` ON `hosts` (`events`,`hostname_key`);--> statement-breakpoint
CREATE INDEX `hosts_ignored` ON `hosts` (`id`) WHERE "hosts"."status" = 2;--> statement-breakpoint
CREATE TABLE `limit_states` (
	`limit_id` integer NOT NULL,
	`host_id` integer NOT NULL,
	`name_id` integer NOT NULL,
	`level` integer DEFAULT 0 NOT NULL,
	`warning_since` integer,
	`critical_since` integer,
	`clear_since` integer,
	`eased_since` integer,
	`value_at` integer,
	`missing` integer DEFAULT false NOT NULL,
	`no_data` integer DEFAULT false NOT NULL,
	`service_type` integer NOT NULL,
	`opened_at` integer DEFAULT 0 NOT NULL,
	`error_at` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`limit_id`, `host_id`, `name_id`),
	FOREIGN KEY (`limit_id`) REFERENCES `limits`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`name_id`) REFERENCES `names`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `limit_states_by_host` ON `limit_states` (`host_id`);--> statement-breakpoint
CREATE INDEX `limit_states_by_name` ON `limit_states` (`name_id`);--> statement-breakpoint
CREATE TABLE `limits` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`statistics` text NOT NULL,
	`descriptor` text DEFAULT '' NOT NULL,
	`per_processor` integer DEFAULT false NOT NULL,
	`filter` text DEFAULT '{}' NOT NULL,
	`below` integer DEFAULT false NOT NULL,
	`warning` real,
	`critical` real,
	`hold` integer DEFAULT 0 NOT NULL,
	`clear_value` real,
	`clear_after` integer DEFAULT 0 NOT NULL,
	`missing` text DEFAULT 'keep' NOT NULL,
	`downtime` integer DEFAULT false NOT NULL,
	`note` text DEFAULT '' NOT NULL,
	`runbook` text DEFAULT '' NOT NULL,
	`deleted` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `limits_name_unique` ON `limits` (`name`);--> statement-breakpoint
CREATE TABLE `login_failures` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account` text NOT NULL,
	`address` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `login_failures_by_address` ON `login_failures` (`address`,`at`);--> statement-breakpoint
CREATE INDEX `login_failures_by_age` ON `login_failures` (`at`);--> statement-breakpoint
CREATE TABLE `mail_report_groups` (
	`report_id` integer NOT NULL,
	`group_id` integer NOT NULL,
	PRIMARY KEY(`report_id`, `group_id`),
	FOREIGN KEY (`report_id`) REFERENCES `mail_reports`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`group_id`) REFERENCES `host_groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `mail_report_groups_by_group` ON `mail_report_groups` (`group_id`);--> statement-breakpoint
CREATE TABLE `mail_report_users` (
	`report_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	PRIMARY KEY(`report_id`, `user_id`),
	FOREIGN KEY (`report_id`) REFERENCES `mail_reports`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `mail_report_users_by_user` ON `mail_report_users` (`user_id`);--> statement-breakpoint
CREATE TABLE `mail_reports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`period` text NOT NULL,
	`hour` integer NOT NULL,
	`everything` integer DEFAULT false NOT NULL,
	`target` real NOT NULL,
	`channel_id` integer NOT NULL,
	`addresses` text DEFAULT '[]' NOT NULL,
	`last_day` text NOT NULL,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mail_reports_name_unique` ON `mail_reports` (`name`);--> statement-breakpoint
CREATE INDEX `mail_reports_by_channel` ON `mail_reports` (`channel_id`);--> statement-breakpoint
CREATE TABLE `maintenance_windows` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text,
	`enabled` integer DEFAULT true NOT NULL,
	`filter` text DEFAULT '{}' NOT NULL,
	`schedule` text NOT NULL,
	`created_at` integer NOT NULL,
	`muted_by` text,
	`note` text DEFAULT '' NOT NULL,
	`leased_until` integer,
	`grace` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `maintenance_windows_name_unique` ON `maintenance_windows` (`name`);--> statement-breakpoint
CREATE TABLE `names` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`name_key` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `names_name_unique` ON `names` (`name`);--> statement-breakpoint
CREATE INDEX `names_by_key` ON `names` (`name_key`,`id`);--> statement-breakpoint
CREATE TABLE `on_call_overrides` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`schedule_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`begins_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`created_by` text NOT NULL,
	FOREIGN KEY (`schedule_id`) REFERENCES `on_call_schedules`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `on_call_overrides_by_schedule` ON `on_call_overrides` (`schedule_id`,`ends_at`);--> statement-breakpoint
CREATE INDEX `on_call_overrides_by_user` ON `on_call_overrides` (`user_id`);--> statement-breakpoint
CREATE TABLE `on_call_schedules` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`timezone` text NOT NULL,
	`rotations` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `on_call_schedules_name_unique` ON `on_call_schedules` (`name`);--> statement-breakpoint
CREATE TABLE `output_changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`host_id` integer NOT NULL,
	`service_id` integer NOT NULL,
	`date` integer NOT NULL,
	`before` text NOT NULL,
	`after` text NOT NULL,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `output_changes_by_host` ON `output_changes` (`host_id`,`date`);--> statement-breakpoint
CREATE INDEX `output_changes_by_service` ON `output_changes` (`service_id`,`date`);--> statement-breakpoint
CREATE INDEX `output_changes_by_date` ON `output_changes` (`date`);--> statement-breakpoint
CREATE TABLE `pictures` (
	`name` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`content` blob NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pictures_userId_unique` ON `pictures` (`user_id`);--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`code_hash` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `recovery_codes_once` ON `recovery_codes` (`user_id`,`code_hash`);--> statement-breakpoint
CREATE TABLE `report_deliveries` (
	`delivery_id` integer PRIMARY KEY NOT NULL,
	`report_id` integer NOT NULL,
	`user_id` integer,
	`period_from` integer NOT NULL,
	`period_to` integer NOT NULL,
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`report_id`) REFERENCES `mail_reports`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `report_deliveries_by_report` ON `report_deliveries` (`report_id`);--> statement-breakpoint
CREATE INDEX `report_deliveries_by_user` ON `report_deliveries` (`user_id`);--> statement-breakpoint
CREATE TABLE `rule_channels` (
	`rule_id` integer NOT NULL,
	`step` integer NOT NULL,
	`channel_id` integer NOT NULL,
	PRIMARY KEY(`rule_id`, `step`, `channel_id`),
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `rule_channels_by_channel` ON `rule_channels` (`channel_id`);--> statement-breakpoint
CREATE TABLE `rule_schedules` (
	`rule_id` integer NOT NULL,
	`step` integer NOT NULL,
	`schedule_id` integer NOT NULL,
	PRIMARY KEY(`rule_id`, `step`, `schedule_id`),
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`schedule_id`) REFERENCES `on_call_schedules`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `rule_schedules_by_schedule` ON `rule_schedules` (`schedule_id`);--> statement-breakpoint
CREATE TABLE `rule_users` (
	`rule_id` integer NOT NULL,
	`step` integer NOT NULL,
	`user_id` integer NOT NULL,
	PRIMARY KEY(`rule_id`, `step`, `user_id`),
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `rule_users_by_user` ON `rule_users` (`user_id`);--> statement-breakpoint
CREATE TABLE `rules` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`position` integer NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`filter` text DEFAULT '{}' NOT NULL,
	`delay` integer DEFAULT 0 NOT NULL,
	`repeat` integer DEFAULT 0 NOT NULL,
	`recovery` integer DEFAULT true NOT NULL,
	`final` integer DEFAULT false NOT NULL,
	`quiet_hours` text,
	`step_minutes` text DEFAULT '[0]' NOT NULL,
	`flap_count` integer DEFAULT 3 NOT NULL,
	`flap_window` integer DEFAULT 10 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `rules_name_unique` ON `rules` (`name`);--> statement-breakpoint
CREATE TABLE `sample_layouts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`host_id` integer NOT NULL,
	`statistic_ids` blob NOT NULL,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sample_layouts_by_host` ON `sample_layouts` (`host_id`);--> statement-breakpoint
CREATE TABLE `samples` (
	`id` integer PRIMARY KEY NOT NULL,
	`host_id` integer NOT NULL,
	`layout_id` integer NOT NULL,
	`at` integer NOT NULL,
	`values` blob NOT NULL,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `samples_by_host_and_time` ON `samples` (`host_id`,`at`);--> statement-breakpoint
CREATE TABLE `saved_filters` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`screen` text NOT NULL,
	`query` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `saved_filters_name_unique` ON `saved_filters` (`name`);--> statement-breakpoint
CREATE TABLE `saved_views` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`content` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `saved_views_name_unique` ON `saved_views` (`name`);--> statement-breakpoint
CREATE TABLE `service_group_members` (
	`group_id` integer NOT NULL,
	`service_id` integer NOT NULL,
	PRIMARY KEY(`group_id`, `service_id`),
	FOREIGN KEY (`group_id`) REFERENCES `service_groups`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `service_group_members_by_service` ON `service_group_members` (`service_id`);--> statement-breakpoint
CREATE TABLE `service_groups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`host_id` integer NOT NULL,
	`name` text NOT NULL,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `service_groups_by_host_and_name` ON `service_groups` (`host_id`,`name`);--> statement-breakpoint
CREATE TABLE `services` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`host_id` integer NOT NULL,
	`name_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`vanished_at` integer,
	`type` integer NOT NULL,
	`monitor_state` integer NOT NULL,
	`monitor_mode` integer NOT NULL,
	`on_reboot` integer NOT NULL,
	`status` integer NOT NULL,
	`status_hint` integer NOT NULL,
	`limit_level` integer DEFAULT 0 NOT NULL,
	`every` text DEFAULT '' NOT NULL,
	`led` integer NOT NULL,
	`events` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`name_id`) REFERENCES `names`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `services_by_host_and_name` ON `services` (`host_id`,`name_id`);--> statement-breakpoint
CREATE INDEX `services_by_name` ON `services` (`name_id`);--> statement-breakpoint
CREATE INDEX `services_present` ON `services` (`host_id`) WHERE "services"."vanished_at" is null;--> statement-breakpoint
CREATE INDEX `services_vanished` ON `services` (`vanished_at`) WHERE "services"."vanished_at" is not null;--> statement-breakpoint
CREATE INDEX `services_vanished_by_host` ON `services` (`host_id`,`vanished_at`) WHERE "services"."vanished_at" is not null;--> statement-breakpoint
CREATE TABLE `session_attributes` (
	`session_id_hash` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`session_id_hash`, `key`),
	FOREIGN KEY (`session_id_hash`) REFERENCES `sessions`(`id_hash`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id_hash` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`csrf_protection` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer NOT NULL,
	`address` text DEFAULT '' NOT NULL,
	`user_agent` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sessions_by_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_by_use` ON `sessions` (`used_at`);--> statement-breakpoint
CREATE TABLE `settings` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `silent_recoveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`host_id` integer NOT NULL,
	`name_id` integer NOT NULL,
	`event_type` integer NOT NULL,
	`limit_id` integer DEFAULT 0 NOT NULL,
	`date` integer NOT NULL,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`name_id`) REFERENCES `names`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `silent_recoveries_of_check` ON `silent_recoveries` (`host_id`,`name_id`,`event_type`,`limit_id`,`date`);--> statement-breakpoint
CREATE INDEX `silent_recoveries_by_date` ON `silent_recoveries` (`date`);--> statement-breakpoint
CREATE INDEX `silent_recoveries_by_name` ON `silent_recoveries` (`name_id`);--> statement-breakpoint
CREATE TABLE `statistics` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`service_id` integer NOT NULL,
	`type` integer NOT NULL,
	`descriptor` text DEFAULT '' NOT NULL,
	`text` text,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `statistics_by_service` ON `statistics` (`service_id`,`type`,`descriptor`);--> statement-breakpoint
CREATE INDEX `statistics_by_type` ON `statistics` (`type`,`id`,`service_id`,`descriptor`);--> statement-breakpoint
CREATE TABLE `status_pages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`slug` text NOT NULL,
	`title` text NOT NULL,
	`group_id` integer NOT NULL,
	`tags` text DEFAULT '[]' NOT NULL,
	`services` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`group_id`) REFERENCES `host_groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `status_pages_slug_unique` ON `status_pages` (`slug`);--> statement-breakpoint
CREATE INDEX `status_pages_by_group` ON `status_pages` (`group_id`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uname` text NOT NULL,
	`password_md5` text NOT NULL,
	`fullname` text DEFAULT '' NOT NULL,
	`image` text DEFAULT '' NOT NULL,
	`title` text DEFAULT '' NOT NULL,
	`email` text DEFAULT '' NOT NULL,
	`phone` text DEFAULT '' NOT NULL,
	`mobile` text DEFAULT '' NOT NULL,
	`imname` text DEFAULT '' NOT NULL,
	`imtype` text DEFAULT '' NOT NULL,
	`admin` integer DEFAULT false NOT NULL,
	`restricted` integer DEFAULT false NOT NULL,
	`origin` text DEFAULT 'local' NOT NULL,
	`subject` text,
	`totp_secret` text DEFAULT '' NOT NULL,
	`totp_enabled` integer DEFAULT false NOT NULL,
	`totp_step` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_uname_unique` ON `users` (`uname`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_by_subject` ON `users` (`subject`) WHERE "users"."subject" is not null;--> statement-breakpoint
CREATE TABLE `view_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`view_id` integer NOT NULL,
	`name` text NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`view_id`) REFERENCES `saved_views`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `view_tokens_tokenHash_unique` ON `view_tokens` (`token_hash`);--> statement-breakpoint
CREATE INDEX `view_tokens_by_view` ON `view_tokens` (`view_id`);