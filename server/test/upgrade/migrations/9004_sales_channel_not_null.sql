alter table charges add constraint charges_sales_channel_not_null check (sales_channel is not null) not valid;
