import type { SecretInput } from '../../arguments/secret-input.ts';

/** Reads a value from the command line, stdin or a person. */
export interface ValueReader {
  /** `option` is the option or setting as typed. `undefined` prompts, `-` reads a line from stdin. */
  read(option: string, value: string | undefined, advice: PromptHints): Promise<string>;
}

interface PromptHints {
  /** Name of the value in the prompt: `token`, `value of the header X`. */
  readonly what: string;
  /** The option that keeps the value off the command line. */
  readonly stdin: string;
  /** The option that names a variable instead. */
  readonly variable: string | undefined;
  readonly isSecret: (value: string) => boolean;
}

/** Adds a warning for each secret that was on the command line. */
export function createValueReader(secrets: SecretInput, warnings: string[]): ValueReader {
  return {
    async read(option, value, { what, stdin, variable, isSecret: looksSecret }) {
      const others = [
        `${stdin} to read it from stdin`,
        ...(variable === undefined ? [] : [`${variable} to name a variable`]),
      ];
      const usageMessage = `${option} has no value, and there is no terminal to prompt for it. Use ${others.join(', or ')}.`;
      if (value === undefined) return secrets.prompt(what, usageMessage);
      if (value === '-') return secrets.readLine(what, usageMessage);
      if (looksSecret(value))
        warnings.push(
          `the value of ${option} was on the command line, where other users and your shell history can see it. Use ${option} without a value to be prompted, or ${others.join(', or ')}.`,
        );
      return value;
    },
  };
}
