import { READ_ONLY } from './schemas.ts';
import { type CodexTool, toStructuredResult } from './tool.ts';

export const modelsTool: CodexTool = {
  name: 'codex_models',
  definition: {
    title: 'Models of Codex',
    description: 'The models that Codex offers, with the reasoning efforts that each of them takes.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    output: {
      type: 'object',
      properties: {
        models: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              id: { type: 'string' },
              name: { type: 'string' },
              description: { type: 'string' },
              isDefault: { type: 'boolean' },
              efforts: { type: 'array', items: { type: 'string' } },
              defaultEffort: { type: 'string' },
            },
            required: ['id', 'name', 'isDefault', 'efforts'],
          },
        },
      },
      required: ['models'],
    },
    annotations: READ_ONLY,
  },
  async run(_args, _context, { sessions }) {
    return toStructuredResult({ models: await sessions.engine.models() });
  },
};
