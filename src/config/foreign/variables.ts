import { platformPath } from '../files/folders.ts';
import type { ForeignPlace } from './foreign-server.ts';

/** How a program writes variables inside values. */
export interface VariableSyntax {
  /** Matches one reference. */
  readonly pattern: RegExp;
  /** Returns the meaning of a match; undefined if it is ordinary text. */
  toPart(match: RegExpMatchArray, place: ForeignPlace): TextPart | undefined;
}

export type TextPart =
  | { readonly kind: 'text'; readonly text: string; readonly note?: string }
  | {
      readonly kind: 'variable';
      readonly name: string;
      readonly fallback?: string;
      /** Why the variable does not have the value that the other program would give it. */
      readonly note?: string;
    };

/** Translates the texts of one server to our own notation. */
export interface TextTranslator {
  /** `key` names the text in notes. */
  translate(text: string, key: string): string;
  /** Reports that a text under a key could not be translated. */
  note(key: string, reason: string): void;
  /** Whether a translated text has variables, so that the entry needs `expand_variables`. */
  hasVariables(): boolean;
}

export function createTextTranslator(
  syntax: VariableSyntax | undefined,
  place: ForeignPlace,
  note: (key: string, reason: string) => void,
): TextTranslator {
  let hasVariables = false;
  const literals: { readonly key: string; readonly text: string }[] = [];
  const write = (part: TextPart, key: string): string => {
    if (part.note !== undefined) note(key, part.note);
    if (part.kind === 'text') return part.text;
    if (!hasVariables)
      for (const literal of literals) note(literal.key, `its literal ${literal.text} is now a variable`);
    hasVariables = true;
    return `\${${part.name}${part.fallback === undefined ? '' : `:-${part.fallback}`}}`;
  };
  /** Text that the other program takes literally. We would expand it if the entry also has variables. */
  const keep = (text: string, key: string): string => {
    const [literal] = OUR_NOTATION.exec(text) ?? [];
    if (literal !== undefined && hasVariables) note(key, `its literal ${literal} is now a variable`);
    else if (literal !== undefined) literals.push({ key, text: literal });
    return text;
  };
  return {
    note,
    translate(text, key) {
      if (syntax === undefined) return text;
      let translated = '';
      let from = 0;
      for (const match of text.matchAll(syntax.pattern)) {
        const part = syntax.toPart(match, place);
        if (part === undefined) continue;
        translated += keep(text.slice(from, match.index), key) + write(part, key);
        from = match.index + match[0].length;
      }
      return translated + keep(text.slice(from), key);
    },
    hasVariables: () => hasVariables,
  };
}

const OUR_NOTATION = /\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[^{}]*)?\}/;

/** `${VAR}` and `${VAR:-default}`, as Claude Code and we write them. */
export const shellSyntax: VariableSyntax = {
  pattern: /\$\{([A-Za-z_]\w*)(?::-([^{}]*))?\}/g,
  toPart: ([, name = '', fallback]) => ({ kind: 'variable', name, ...(fallback === undefined ? {} : { fallback }) }),
};

/** `$VAR`, `${VAR}` and `${VAR:-default}`, as Gemini CLI writes them. */
export const dollarSyntax: VariableSyntax = {
  pattern: /\$(?:\{([A-Za-z_]\w*)(?::-([^{}]*))?\}|([A-Za-z_]\w*))/g,
  toPart: ([, braced, fallback, bare = '']) => ({
    kind: 'variable',
    name: braced ?? bare,
    ...(fallback === undefined ? {} : { fallback }),
  }),
};

/** `${env:VAR}`, `${userHome}`, `${workspaceFolder}` and others, as Cursor, Windsurf and VS Code write them. */
export const editorSyntax: VariableSyntax = {
  pattern: /\$\{(env:)?([A-Za-z_/][\w.:/-]*)\}/g,
  toPart: ([, env, name = ''], place) =>
    env === undefined ? predefined(name, place) : { kind: 'variable', name: toVariableName(name) },
};

/** The editors' own names and `${env:VAR}`, and also `${VAR}`, for a file whose program is unknown. */
export const anySyntax: VariableSyntax = {
  pattern: /\$\{(?:(env:)?([A-Za-z_/][\w.:/-]*?)(?::-([^{}]*))?)\}/g,
  toPart: ([, env, name = '', fallback], place) => {
    const known = env === undefined && fallback === undefined ? predefined(name, place) : undefined;
    if (known !== undefined) return known;
    return { kind: 'variable', name: toVariableName(name), ...(fallback === undefined ? {} : { fallback }) };
  },
};

/** Returns what an editor puts in place of one of its own names. */
function predefined(name: string, { project, environment: { home, platform } }: ForeignPlace): TextPart | undefined {
  const { basename, sep } = platformPath(platform);
  const unknown = `its \${${name}} is known only to the editor: replace it, or set ${toVariableName(name)}`;
  const inProject = (text: string | undefined): TextPart =>
    text === undefined ? { kind: 'variable', name: toVariableName(name), note: unknown } : { kind: 'text', text };
  switch (name) {
    case 'userHome':
      return { kind: 'text', text: home };
    case 'pathSeparator':
    case '/':
      return { kind: 'text', text: sep };
    case 'workspaceFolder':
    case 'workspaceRoot':
    case 'cwd':
      return inProject(project);
    case 'workspaceFolderBasename':
      return inProject(project && basename(project));
    default:
      return /^(?:input|config|command|extensionInstallFolder|workspaceFolder):|^(?:file|relativeFile|selectedText|execPath|defaultBuildTask|line)/.test(
        name,
      )
        ? inProject(undefined)
        : undefined;
  }
}

/** Returns a valid variable name: `API_KEY` for `api-key`. A valid name stays as it is. */
export function toVariableName(text: string): string {
  if (/^[A-Za-z_]\w*$/.test(text)) return text;
  const name = text.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
  return (/^[A-Za-z]/.test(name) ? name : `VALUE_${name}`).toUpperCase();
}
