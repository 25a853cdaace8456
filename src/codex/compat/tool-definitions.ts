import type { ToolDefinition } from '../../serve/tools/tool-definition.ts';
import type { JsonObject } from '../../wire/messages.ts';
import { APPROVAL_POLICY, field, OPEN_ENDED, SANDBOX } from '../tools/schemas.ts';

/** The tools of Codex's former MCP server, with the argument names of 0.92 and 0.153.4 combined. `images` is new. */
export const CODEX_TOOL: ToolDefinition<JsonObject, JsonObject> = {
  title: 'Codex',
  description: 'Start a Codex session with a prompt and wait for its answer. codex-reply continues it.',
  input: {
    type: 'object',
    properties: {
      prompt: field.text('What Codex should do'),
      'approval-policy': APPROVAL_POLICY,
      'base-instructions': field.text('Replaces the base instructions'),
      'compact-prompt': field.text('Prompt for compacting a long conversation'),
      config: {
        type: 'object',
        additionalProperties: true,
        description: 'Codex configuration overrides, by key',
      },
      cwd: field.text("Working directory of the session; relative paths are resolved in this server's folder"),
      'developer-instructions': field.text('Developer instructions'),
      images: field.texts('Paths of image files to attach to the prompt'),
      model: field.text('Model override'),
      profile: field.text('Codex configuration profile ($CODEX_HOME/<name>.config.toml)'),
      sandbox: SANDBOX,
    },
    required: ['prompt'],
    additionalProperties: false,
  },
  output: output(),
  annotations: OPEN_ENDED,
};

export const CODEX_REPLY_TOOL: ToolDefinition<JsonObject, JsonObject> = {
  title: 'Codex Reply',
  description:
    'Continue a Codex session with another prompt and wait for its answer. Also resumes sessions from earlier runs.',
  input: {
    type: 'object',
    properties: {
      prompt: field.text('The next prompt'),
      threadId: field.text('The thread id that codex returned'),
      conversationId: field.text('Deprecated: former name of threadId'),
      images: field.texts('Paths of image files to attach'),
    },
    required: ['prompt'],
  },
  output: output(),
  annotations: OPEN_ENDED,
};

function output() {
  return {
    type: 'object',
    properties: { threadId: { type: 'string' }, content: { type: 'string' } },
    required: ['threadId', 'content'],
  };
}
