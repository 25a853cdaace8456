/** A fenced code block of a document: everything in it is run or checked, as its info string says. */
export interface Block {
  /** `js`, `ts`, `sh`, `json`, `toml` or `text`; empty when the fence does not say. */
  readonly language: string;
  /** The word behind the language: `file=<path>` (`js`, `ts`), `run` (`sh`), `output` (`text`). */
  readonly role: string;
  readonly code: string;
  /** Of the opening fence, for the name of the test. */
  readonly line: number;
}

/** The fenced blocks in their order. Throws for a fence that is never closed: the rest of the page would be lost. */
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
