import type { StartArguments } from '../settings/start-settings.ts';

/** The arguments of the tool `codex`, named as in the protocol. */
export interface CodexArguments {
  readonly prompt: string;
  readonly 'approval-policy'?: NonNullable<StartArguments['approvalPolicy']>;
  readonly 'base-instructions'?: string;
  readonly 'compact-prompt'?: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly cwd?: string;
  readonly 'developer-instructions'?: string;
  readonly images?: readonly string[];
  readonly model?: string;
  readonly profile?: string;
  readonly sandbox?: NonNullable<StartArguments['sandbox']>;
}

export interface ReplyArguments {
  readonly prompt: string;
  readonly threadId?: string;
  readonly conversationId?: string;
  readonly images?: readonly string[];
}

/** Converts the arguments to the names of `codex_start`. The old server did not require version control. */
export function toStartArguments(given: CodexArguments, cwd: string): StartArguments {
  const { prompt, config, images, model, profile, sandbox } = given;
  const approvalPolicy = given['approval-policy'];
  const baseInstructions = given['base-instructions'];
  const developerInstructions = given['developer-instructions'];
  const compactPrompt = given['compact-prompt'];
  return {
    prompt,
    workingDirectory: cwd,
    skipGitRepoCheck: true,
    ...(approvalPolicy === undefined ? {} : { approvalPolicy }),
    ...(baseInstructions === undefined ? {} : { baseInstructions }),
    ...(compactPrompt === undefined ? {} : { compactPrompt }),
    ...(config === undefined ? {} : { config: quoteTexts(config) }),
    ...(developerInstructions === undefined ? {} : { developerInstructions }),
    ...(images === undefined ? {} : { images }),
    ...(model === undefined ? {} : { model }),
    ...(profile === undefined ? {} : { profile }),
    ...(sandbox === undefined ? {} : { sandbox }),
  };
}

/** Prefers the newer name if both are given. */
export function threadIdOf({ threadId, conversationId }: ReplyArguments): string | undefined {
  return threadId ?? conversationId;
}

/** Quotes the drop-in's strings, which are literal: `codex_start` parses strings as TOML, so `"5"` would become 5. */
function quoteTexts(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const quote = (value: unknown) =>
    typeof value === 'string' ? JSON.stringify(value).replaceAll('\u007f', '\\u007f') : value;
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, quote(value)]));
}
