/** Answers the requests about the prompts of a server. `createPrompts` creates one. */
export interface PromptResponder {
  /** Answers `prompts/list`, `prompts/get` and `completion/complete`. Returns undefined for every other method. */
  answer(method: string, params: unknown): Promise<Readonly<Record<string, unknown>>> | undefined;
}
