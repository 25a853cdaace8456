import { isObject, type JsonObject } from '../wire/messages.ts';
import { createChecker, type StandardSchema } from './tools/schema.ts';

/**
 * Returns a schema that accepts `null` for every optional argument and drops it, as `codex mcp-server` did: many
 * clients fill in all arguments that they know. The published schema stays unchanged.
 */
export function withOptionalNulls(schema: JsonObject): StandardSchema<JsonObject, JsonObject> {
  const { jsonSchema, check } = createChecker(schema, 'input', 'The input');
  return {
    '~standard': {
      version: 1,
      vendor: 'switchboard',
      jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
      async validate(value) {
        const given = isObject(value) ? dropNulls(value, schema) : value;
        const { problems } = await check(given);
        return problems === undefined && isObject(given)
          ? { value: given }
          : { issues: (problems ?? []).map((message) => ({ message })) };
      },
    },
  };
}

function dropNulls(given: JsonObject, { properties, required }: JsonObject): JsonObject {
  const known = isObject(properties) ? properties : {};
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const isLeftOut = ([name, value]: readonly [string, unknown]) =>
    value === null && Object.hasOwn(known, name) && !needed.includes(name);
  return Object.fromEntries(Object.entries(given).filter((entry) => !isLeftOut(entry)));
}
