/* mcplite, set up to play a workload. */
#ifndef STAGE_H
#define STAGE_H

#include "workload.h"

#include <mcplite.h>

/* A server that offers what the workload says. The workload must outlive it. */
mcp_server *open_server(const struct workload *workload);

/* A session that has shaken hands as 2025-11-25. */
mcp_session *open_session(mcp_server *server, const struct workload *workload);

/* Plays one message: bytes in, bytes out. The answer is good until the next round. */
static inline struct text play_round(mcp_session *session, const struct workload *workload) {
    struct text answer = {NULL, 0};
    mcp_handle_message(session, workload->request.data, workload->request.size);
    answer.data = (char *)(uintptr_t)mcp_session_poll(session, &answer.size);
    return answer;
}

/* Ends the program unless an answer is the right one. */
void check_answer(const struct workload *workload, struct text answer);

#endif
