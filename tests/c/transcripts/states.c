#include "states.h"

#include "json.h"

#include <stdlib.h>
#include <string.h>

static const char PLACE[] = "$STATE";

void states_note(struct states *states, const char *line)
{
    char *text = json_string(line, "/result/requestState", NULL);
    struct state *state;
    if (!text) return;
    states->all = grow(states->all, states->count + 1, sizeof *states->all);
    state = &states->all[states->count++];
    state->text = text;
    state->id = json_copy(line, "id");
    if (!state->id) state->id = copy_text("null");
}

/* The last one whose id has this text; without an id, the last one. */
static const char *find_state(const struct states *states, const char *id, size_t id_length)
{
    size_t index = states->count;
    while (index-- > 0) {
        const struct state *state = &states->all[index];
        bool is_meant = !id || (strlen(state->id) == id_length && memcmp(state->id, id, id_length) == 0);
        if (is_meant) return state->text;
    }
    return NULL;
}

void states_fill_in(const struct states *states, const char *line, struct text *out, struct memory *memory)
{
    const char *place;
    while ((place = strstr(line, PLACE)) != NULL) {
        const char *rest = place + sizeof PLACE - 1, *id = NULL, *state;
        size_t id_length = 0, start;
        text_add(out, line, (size_t)(place - line));
        if (*rest == '[') {
            id = rest + 1;
            id_length = strcspn(id, "]");
            rest = id + id_length + (id[id_length] == ']');
        }
        state = find_state(states, id, id_length);
        if (!state) {
            complain(memory, "no state for %.20s", place);
            return;
        }
        start = out->length;
        text_add(out, state, strlen(state));
        if (*rest == '!') {
            char *middle = out->at + start + strlen(state) / 2;
            *middle = *middle == 'A' ? 'B' : 'A';
            rest++;
        }
        line = rest;
    }
    text_add(out, line, strlen(line));
}

void states_free(struct states *states)
{
    while (states->count > 0) {
        struct state *state = &states->all[--states->count];
        free(state->id);
        free(state->text);
    }
    free(states->all);
}
