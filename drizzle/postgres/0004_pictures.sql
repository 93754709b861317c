CREATE TABLE "pictures" (
	"name" text collate "C" PRIMARY KEY NOT NULL,
	"user_id" bigint NOT NULL,
	"content" "bytea" NOT NULL,
	CONSTRAINT "pictures_userId_unique" UNIQUE("user_id")
);

--> statement-breakpoint
ALTER TABLE "pictures" ADD CONSTRAINT "pictures_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;