/** A fenced code block of a document. Its info string determines how it is run or checked. */
export interface Block {
  /** `js`, `ts`, `sh`, `json`, `toml` or `text`; empty if the fence names none. */
  readonly language: string;
  /** The word after the language: `file=<path>` (`js`, `ts`), `run` (`sh`), `output` (`text`). */
  readonly role: string;
  readonly code: string;
  /** The line of the opening fence, for the name of the test. */
  readonly line: number;
}

/** Returns the fenced blocks in order. Throws for an unclosed fence, which would swallow the rest of the page. */
export function readBlocks(markdown: string): readonly Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; index++) {
    const fence = /^(\s*)(`{3,}|~{3,})\s*(\S*)\s*(\S*)/.exec(lines[index] ?? '');
    if (fence === null) continue;
    const [, indent = '', mark = '', language = '', role = ''] = fence;
    const end = lines.findIndex((line, at) => at > index && line.trim() === mark);
    if (end === -1) throw new Error(`line ${index + 1}: a code block that is never closed`);
    const code = lines.slice(index + 1, end).map((line) => `${line.slice(indent.length)}\n`);
    blocks.push({ language, role, code: code.join(''), line: index + 1 });
    index = end;
  }
  return blocks;
}
