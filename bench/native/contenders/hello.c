/* The least that a program in C can do before its first answer: a fixed line for each line. */
#include <stdio.h>

int main(void) {
    for (int character; (character = getchar()) != EOF;) {
        if (character == '\n') {
            puts("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}");
            fflush(stdout);
        }
    }
    return 0;
}
