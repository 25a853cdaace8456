import { isSecretName } from '../../base/redaction/redact.ts';

/** One of `args` that says something under a name. */
export interface NamedArgument {
  /** What stands before the value: `TOKEN=`, `X-Api-Key: `; empty when the name is the option before it. */
  readonly head: string;
  readonly name: string;
  readonly value: string;
  /** Of a request: what headers hold is shown nowhere, whatever they are called. */
  readonly isHeader: boolean;
}

/** Undefined when it stands for itself. */
export function readNamedArgument(arg: string, before: unknown): NamedArgument | undefined {
  const option = typeof before === 'string' && before.startsWith('-') && !arg.startsWith('-') ? before : '';
  if (isSecretName(option)) return { head: '', name: option, value: arg, isHeader: false };
  const [, prefix = '', name, separator = '', value = ''] = NAMED.exec(arg) ?? [];
  if (name === undefined) return undefined;
  const isHeader = prefix !== '' || HEADER_OPTION.test(option);
  return { head: `${prefix}${name}${separator}`, name, value, isHeader };
}

/** `NAME=value`, `Name: value`, `--header=Name: value`. */
const NAMED = /^(--headers?=)?([^=:\s]+)(\s*[=:][ \t]*)(.*)$/s;
const HEADER_OPTION = /^(?:-H|--headers?)$/;
