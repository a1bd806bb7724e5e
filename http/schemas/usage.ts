/** What an answer of generated text says of its cost, as /openapi.json shows it. */
import { z } from '@hono/zod-openapi';

export const usageAnswer = z
  .object({
    prompt_tokens: z.number().int(),
    completion_tokens: z.number().int(),
    total_tokens: z.number().int(),
    prompt_tokens_details: z.object({
      cached_tokens: z
        .number()
        .int()
        .openapi({ description: 'Of the prompt, those that were computed before.' }),
    }),
    completion_tokens_details: z
      .object({
        accepted_prediction_tokens: z.number().int(),
        rejected_prediction_tokens: z.number().int(),
      })
      .optional()
      .openapi({ description: 'Drafted tokens, where there were any; only accepted ones count.' }),
  })
  .openapi('Usage');

export const timingsAnswer = z
  .object({
    queue_ms: z.number().openapi({ description: 'Until the prompt was begun.' }),
    prompt_ms: z.number().openapi({ description: 'From there to the first token.' }),
    prompt_tokens_per_second: z.number().nullable(),
    generate_ms: z.number().openapi({ description: 'From the first token to the last.' }),
    generate_tokens_per_second: z.number().nullable(),
  })
  .openapi('Timings', { description: 'Of the slowest choice; rates are of all choices together.' });
