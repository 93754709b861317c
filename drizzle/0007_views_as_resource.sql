UPDATE `saved_views` SET `content` = replace(replace(replace(replace(`content`, '"type":', '"statistics":'), '"hostgroupid":', '"hostgroup":'), '"hostid":', '"hosts":'), '"serviceid":', '"services":');--> statement-breakpoint
UPDATE `saved_views` SET `content` = json_insert(`content`, '$.descriptor', '', '$.hostgroup', null) WHERE json_valid(`content`);
