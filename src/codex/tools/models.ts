import { BOOLEAN, listOf, objectOf, READ_ONLY, STRING } from './schemas.ts';
import { type CodexTool, toStructuredResult } from './tool.ts';

const MODEL = {
  id: STRING,
  name: STRING,
  description: STRING,
  isDefault: BOOLEAN,
  efforts: { type: 'array', items: STRING },
  defaultEffort: STRING,
};

export const modelsTool: CodexTool = {
  name: 'codex_models',
  definition: {
    title: 'Codex models',
    description: 'List the models that Codex offers, with their reasoning efforts.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    output: objectOf({ models: listOf(MODEL, ['id', 'name', 'isDefault', 'efforts']) }, ['models']),
    annotations: READ_ONLY,
  },
  async run(_args, _context, { sessions }) {
    return toStructuredResult({ models: await sessions.engine.models() });
  },
};
