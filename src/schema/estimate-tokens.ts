import { isObject } from '../wire/messages.ts';

/** Measured with o200k on the tools of several servers: 4.4 to 4.9. */
const BYTES_PER_TOKEN = 4.6;

/**
 * Estimates how many tokens of a model's context a tool takes, from its definition as JSON. Counts what clients pass on
 * to models: name, description and input schema. A tokenizer would be exact, but costs megabytes.
 */
export function estimateTokens(json: string): number {
  return Math.ceil(Buffer.byteLength(shownToModels(json)) / BYTES_PER_TOKEN);
}

function shownToModels(json: string): string {
  try {
    const definition: unknown = JSON.parse(json);
    if (!isObject(definition)) return json;
    const { name, description, inputSchema } = definition;
    return JSON.stringify({ name, description, inputSchema });
  } catch {
    // Nested too deeply, or invalid.
    return json;
  }
}
