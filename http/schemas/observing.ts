/** Bodies and answers of /console and of explanations, for checks and for /openapi.json. */
import { z } from '@hono/zod-openapi';

export const recordingBody = z
  .object({ recording: z.boolean() })
  .strict()
  .openapi('ConsoleRecording');

const state = z.object({
  name: z.string(),
  description: z.string(),
  type: z.enum(['atomic', 'compound', 'final']),
  tags: z.array(z.string()),
});

const transition = z.object({
  from: z.string(),
  event: z.string(),
  guard: z.string().nullable(),
  actions: z.array(z.string()),
  to: z.string().nullable(),
});

export const chartsAnswer = z
  .object({
    charts: z.array(
      z.object({
        id: z.string(),
        path: z.string(),
        description: z.string(),
        initial: z.string(),
        states: z.array(state),
        transitions: z.array(transition),
      }),
    ),
  })
  .openapi('ConsoleCharts');

export const actorListAnswer = z
  .object({
    nowMs: z.number(),
    threads: z.array(z.object({ name: z.string(), answers: z.boolean() })),
    actors: z.array(
      z.object({
        address: z.string(),
        parent: z.string().nullable(),
        thread: z.string(),
        kind: z.string(),
        state: z.string().nullable(),
        mailbox: z.number(),
        oldestMs: z.number().nullable(),
      }),
    ),
  })
  .openapi('ConsoleTree');

export const requestsAnswer = z
  .object({
    requests: z.array(
      z.object({
        id: z.string(),
        address: z.string(),
        kind: z.string(),
        state: z.string(),
        ageMs: z.number(),
        waitingFor: z.string().nullable(),
      }),
    ),
  })
  .openapi('ConsoleRequests');

const waiting = z.object({
  reason: z.string(),
  text: z.string(),
  unblockedBy: z.string(),
  details: z.record(z.string(), z.unknown()),
});

export const explanationAnswer = z
  .object({
    explanations: z.array(
      z.object({
        request: z.string(),
        model: z.string(),
        address: z.string().nullable(),
        thread: z.string().nullable(),
        kind: z.string().nullable(),
        state: z.string().nullable(),
        ageMs: z.number(),
        waiting: z.array(waiting),
      }),
    ),
  })
  .openapi('Explanations');
