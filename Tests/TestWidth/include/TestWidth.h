/// How many tests the runner was told to run at once; 0 when it was told nothing.
int test_width(void);
