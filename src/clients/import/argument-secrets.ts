import { createRedact, isSecretName } from '../../base/redaction/redact.ts';
import { readNamedArgument } from '../../config/secrets/named-argument.ts';
import { isSecret } from '../../config/secrets/secret-keys.ts';
import { findSecrets } from '../../config/secrets/secrets-in-text.ts';

/** Chooses the variable for a secret. `name` describes the secret: `api-key`. */
export type Replacer = (value: string, name: string) => string;

/** Replaces secrets in arguments by `${NAME}`; undefined if there are none. */
export function replaceArgumentSecrets(args: readonly unknown[], toVariable: Replacer): readonly unknown[] | undefined {
  const replaced = args.map((arg, index) =>
    typeof arg === 'string' ? replaceInArgument(arg, args[index - 1], toVariable) : arg,
  );
  return replaced.some((arg, index) => arg !== args[index]) ? replaced : undefined;
}

/** Replaces the password and the secret values in the query of a URL; undefined if there are none. */
export function replaceUrlSecrets(url: string, toVariable: Replacer): string | undefined {
  const refer = (value: string, name: string) => `\${${toVariable(value, name)}}`;
  const replaced = url
    .replace(/(?<=^[a-z][a-z\d+.-]*:\/\/[^/@:\s]*:)[^/@\s]+(?=@)/i, (password) =>
      keepReference(password, 'password', refer),
    )
    .replace(/(?<=[?&])([^=&#\s]+)=([^&#\s]+)/g, (member, name: string, value: string) =>
      isSecret(name, value) ? `${name}=${keepReference(value, name, refer)}` : member,
    );
  return replaced === url ? undefined : replaced;
}

function replaceInArgument(arg: string, before: unknown, toVariable: Replacer): string {
  if (arg.includes('${')) return arg;
  const refer = (value: string, name: string) => `\${${toVariable(value, name.replace(/^-+/, ''))}}`;
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(arg) && !isSecretName(String(before ?? '')))
    return replaceUrlSecrets(arg, toVariable) ?? arg;
  const named = readNamedArgument(arg, before);
  if (named !== undefined && isSecret(named.name, named.value)) {
    const [, scheme = '', value = ''] = /^((?:Bearer|Basic|Token)\s+)?(.*)$/is.exec(named.value) ?? [];
    return `${named.head}${scheme}${refer(value, named.name)}`;
  }
  const inside = findSecrets(arg);
  if (inside.length > 0)
    return inside.toReversed().reduce((text, { start, end, value }) => {
      const [name = 'secret'] = /[\w.-]+(?=["'\s:=]*$)/.exec(text.slice(0, start)) ?? [];
      return `${text.slice(0, start)}${refer(value, name)}${text.slice(end)}`;
    }, arg);
  return createRedact([])(arg) === arg ? arg : refer(arg, 'secret');
}

/** A value that already names a variable stays as it is. */
function keepReference(value: string, name: string, refer: (value: string, name: string) => string): string {
  return value.includes('${') ? value : refer(value, name);
}
