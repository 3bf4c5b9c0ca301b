int permlog_unused;
