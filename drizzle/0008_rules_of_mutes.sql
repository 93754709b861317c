UPDATE `maintenance_windows` SET `filter` = replace(`filter`, '"ruleids":', '"rules":') WHERE `muted_by` IS NOT NULL;
