#include "beam.h"
#include "best.h"
#include "shortlist.h"

/* --- memory ---------------------------------------------------------------------------------- */

OWN int beams_take(const Model *model, Area *area, Batch *batch) {
    const int rows = batch->rows, slots = rows * batch->beam;
    const uint64_t nodes = (uint64_t)slots * batch->most_steps;
    Beams *beams = batch->beams = area_take(area, sizeof(Beams));
    /* Where room is only counted, there is nothing to write to. */
    Beams counted, *to = area->end == UINTPTR_MAX ? &counted : beams;
    if (!to) return 0;
    int complete = 1;
#define TAKE(at, count) complete &= ((at) = area_take(area, sizeof(*(at)) * (uint64_t)(count))) != 0
    to->slots = slots;
    to->attention = 0;
    TAKE(to->pieces, nodes);
    TAKE(to->parents, nodes);
    TAKE(to->log_probabilities, nodes);
    if (batch->attention) TAKE(to->attention, nodes * batch->width + 4);
    TAKE(to->sums, slots);
    TAKE(to->next_sums, slots);
    TAKE(to->bound, slots);
    TAKE(to->next_bound, slots);
    TAKE(to->next_row_of, slots);
    for (int layer = 0; layer < model->sizes.decoder_layers; layer++)
        TAKE(to->next_states[layer], (uint64_t)slots * model->sizes.dimension);
    TAKE(to->choices, (uint64_t)slots * batch->beam);
    TAKE(to->counts, slots);
    TAKE(to->endings, slots);
    TAKE(to->ended, rows);
    TAKE(to->branched, rows);
    TAKE(to->rests, rows);
    TAKE(to->lefts, rows);
    TAKE(batch->prefixes, batch->prefixed + 1);
    TAKE(batch->scores, (uint64_t)rows * batch->kept);
#undef TAKE
    return complete;
}

/* After `batch->active` and `batch->row_of`: a slot a row. */
OWN void beams_begin(Batch *batch) {
    Beams *beams = batch->beams;
    int32_t *prefix = batch->prefixes;
    for (int row = 0; row < batch->rows; row++) {
        beams->ended[row] = beams->branched[row] = 0;
        int left = batch->prefixed ? *prefix++ : 0;
        beams->lefts[row] = left;
        beams->rests[row] = prefix;
        for (; left; left--) prefix += 2 + prefix[1];
    }
    for (int slot = 0; slot < batch->active; slot++) {
        beams->sums[slot] = 0;
        beams->bound[slot] = beams->lefts[batch->row_of[slot]] > 0;
    }
    for (int i = 0; i < batch->rows * batch->kept; i++) batch->scores[i] = NO_SCORE;
}

OWN float *beams_attention(Batch *batch, int slot) {
    return batch->beams->attention + ((size_t)batch->step * batch->beams->slots + slot) * batch->width;
}

/* --- choosing -------------------------------------------------------------------------------- */

/* The first of equals stays before the others. */
static void insert(Choice *choices, int32_t *count, int most, float logit, int32_t piece) {
    int at = *count;
    if (at < most) ++*count;
    else if (!(logit > choices[--at].logit)) return;
    for (; at && logit > choices[at - 1].logit; at--) choices[at] = choices[at - 1];
    choices[at] = (Choice){logit, piece};
}

/* The `most` best of `count` pieces from number `first` on, and of those before. */
static void collect(Choice *choices, int32_t *kept, int most, const float *logits, int first, int count) {
    for (int i = 0; i < count; i += 8) {
        if (*kept == most) {
            f32x8 eight = load8(logits + i);
            f32x4 four = larger4(__builtin_shufflevector(eight, eight, 0, 1, 2, 3), __builtin_shufflevector(eight, eight, 4, 5, 6, 7));
            if (!(max4(four) > choices[most - 1].logit)) continue;
        }
        for (int j = i; j < i + 8; j++) insert(choices, kept, most, logits[j], first + j);
    }
}

/* The same of those that a prefix allows. */
static void collect_bound(Choice *choices, int32_t *kept, int most, const float *logits, int first, int count, const int32_t *rest) {
    for (int n = 0; n < rest[1]; n++) {
        const int piece = rest[2 + n];
        if (first <= piece && piece < first + count) insert(choices, kept, most, logits[piece - first], piece);
    }
}

/* length ^ normalize, the same on every machine. */
static float penalty(const Batch *batch, int length) {
    if (batch->normalize == 0) return 1;
    if (batch->normalize == 1) return (float)length;
    return exp4(splat4(batch->normalize * -minus_log((float)length)))[0];
}

/* A hypothesis that has said its last piece, to its place among those of its row. */
static void end(Batch *batch, int row, int slot, Choice choice, float log_probability, float sum) {
    const int length = batch->step + 1;
    const float score = (sum - batch->word_penalty * length) / penalty(batch, length);
    Ending *endings = batch->beams->endings + row * batch->beam;
    int at = batch->beams->ended[row]++;
    for (; at && score > endings[at - 1].score; at--) endings[at] = endings[at - 1];
    endings[at] = (Ending){score, log_probability, batch->step, slot, choice.piece};
}

/* A slot of the next step; returns its number and one. */
static int go_on(const Model *model, Batch *batch, int row, int slot, Choice choice, float log_probability, float sum, int to) {
    Beams *beams = batch->beams;
    const int D = model->sizes.dimension;
    const size_t node = ((size_t)batch->step + 1) * beams->slots + to;
    beams->pieces[node] = batch->previous[to] = choice.piece;
    beams->parents[node] = slot;
    beams->log_probabilities[node] = log_probability;
    beams->next_sums[to] = sum;
    beams->next_row_of[to] = row;
    beams->next_bound[to] = beams->bound[slot] && choice.piece == beams->rests[row][0] && beams->lefts[row] > 1;
    for (int layer = 0; layer < model->sizes.decoder_layers; layer++)
        copy_row(beams->next_states[layer] + (size_t)to * D, batch->states[layer] + (size_t)slot * D, D);
    return to + 1;
}

/* What a slot may say next: `taken` of its choices are taken. */
typedef struct {
    float log_of_sum; /* the log-probability of the best of all pieces */
    float best;       /* its logit */
    int32_t taken;
} Slot;

static float log_probability_of(const Slot *slot, Choice choice) { return slot->log_of_sum - (slot->best - choice.logit); }

/* The slot of `from` to `to` whose next choice makes the best hypothesis; -1 when there is none. */
static int best_slot(const Batch *batch, const Slot *slots, int from, int to) {
    const Beams *beams = batch->beams;
    int best = -1;
    float top = 0;
    for (int slot = from; slot < to; slot++) {
        if (slots[slot].taken >= beams->counts[slot]) continue;
        const float sum = beams->sums[slot] + log_probability_of(&slots[slot], beams->choices[slot * batch->beam + slots[slot].taken]);
        if (best < 0 || sum > top) best = slot, top = sum;
    }
    return best;
}

static int goes_alone(const Batch *batch, int row) { return batch->branching && batch->beams->branched[row]; }

/* The hypotheses of a row, in slots `from` to `to`, a piece longer; returns the slot after the last new one. */
static int extend(const Model *model, Batch *batch, Slot *slots, int from, int to, int next) {
    Beams *beams = batch->beams;
    const int row = batch->row_of[from], room = batch->beam - beams->ended[row];
    const int alone = goes_alone(batch, row);
    int said = 0;
    for (; said < room; said++) {
        const int slot = alone ? (from + said < to ? from + said : -1) : best_slot(batch, slots, from, to);
        if (slot < 0) break;
        Choice choice = beams->choices[slot * batch->beam + slots[slot].taken++];
        choice.piece = piece_of(batch, row, choice.piece);
        const float log_probability = log_probability_of(&slots[slot], choice), sum = beams->sums[slot] + log_probability;
        if (choice.piece == EOS || batch->step + 1 >= batch->limits[row]) end(batch, row, slot, choice, log_probability, sum);
        else next = go_on(model, batch, row, slot, choice, log_probability, sum, next);
    }
    if (said > 1) beams->branched[row] = 1;
    return next;
}

static void swap_floats(float **a, float **b) {
    float *kept = *a;
    *a = *b;
    *b = kept;
}

static void swap_integers(int32_t **a, int32_t **b) {
    int32_t *kept = *a;
    *a = *b;
    *b = kept;
}

static void next_step(const Model *model, Batch *batch, int active) {
    Beams *beams = batch->beams;
    for (int row = 0; row < batch->rows; row++)
        if (beams->lefts[row]) beams->lefts[row]--, beams->rests[row] += 2 + beams->rests[row][1];
    swap_floats(&beams->sums, &beams->next_sums);
    swap_integers(&beams->bound, &beams->next_bound);
    swap_integers(&batch->row_of, &beams->next_row_of);
    for (int layer = 0; layer < model->sizes.decoder_layers; layer++)
        swap_floats(&batch->states[layer], &beams->next_states[layer]);
    batch->active = active;
}

/* Logits of a slot's columns from number `first` on: what is the best of all, and what may come next. */
static void see(Batch *batch, Best *best, int slot, const float *logits, int first, int count) {
    Beams *beams = batch->beams;
    const int row = batch->row_of[slot], most = goes_alone(batch, row) ? 1 : batch->beam - beams->ended[row];
    Choice *choices = beams->choices + slot * batch->beam;
    improve(&best[slot], logits, first, count);
    if (beams->bound[slot]) collect_bound(choices, &beams->counts[slot], most, logits, first, count, beams->rests[row]);
    else collect(choices, &beams->counts[slot], most, logits, first, count);
}

OWN void beams_choose(const Model *model, Batch *batch) {
    Beams *beams = batch->beams;
    Best *best = (Best *)batch->mixed; /* D floats a slot are room enough */
    Slot *slots = (Slot *)batch->y;
    for (int slot = 0; slot < batch->active; slot++) beams->counts[slot] = 0;
    see_logits(batch, best, see);
    for (int slot = 0; slot < batch->active; slot++) slots[slot] = (Slot){minus_log(best[slot].sum), best[slot].logit, 0};
    int next = 0;
    for (int from = 0, to; from < batch->active; from = to) {
        for (to = from + 1; to < batch->active && batch->row_of[to] == batch->row_of[from];) to++;
        next = extend(model, batch, slots, from, to, next);
    }
    next_step(model, batch, next);
}

/* --- the end --------------------------------------------------------------------------------- */

/* From the last piece of a hypothesis to its first; `to` is its row in what the host reads. */
static void write(Batch *batch, const Ending *ending, size_t to) {
    const Beams *beams = batch->beams;
    const size_t first = to * batch->most_steps;
    int slot = ending->slot, later = slot;
    int32_t piece = ending->piece;
    float log_probability = ending->log_probability;
    for (int step = ending->step; step >= 0; step--) {
        const size_t node = (size_t)step * beams->slots + slot;
        batch->target[first + step] = piece;
        batch->log_probabilities[first + step] = log_probability;
        if (batch->attention) {
            /* The alignment head tells of a piece a step after it was said. */
            const int told = batch->aligned && step < ending->step;
            const float *weights = beams->attention + (told ? (size_t)(step + 1) * beams->slots + later : node) * batch->width;
            for (int column = 0; column < batch->width; column++) batch->attention[(first + step) * batch->width + column] = weights[column];
        }
        if (!step) break;
        piece = beams->pieces[node];
        log_probability = beams->log_probabilities[node];
        later = slot;
        slot = beams->parents[node];
    }
}

OWN void beams_end(Batch *batch) {
    const Beams *beams = batch->beams;
    for (int row = 0; row < batch->rows; row++)
        for (int n = 0; n < batch->kept && n < beams->ended[row]; n++) {
            const size_t to = (size_t)row * batch->kept + n;
            const Ending *ending = &beams->endings[row * batch->beam + n];
            batch->scores[to] = ending->score;
            write(batch, ending, to);
        }
}
