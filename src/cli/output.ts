/** The only writer of stdout: what a command answers. Everything else belongs on stderr. */
export interface Output {
  answer(text: string): void;
  complain(text: string): void;
}

export function createOutput(stdout: NodeJS.WritableStream, stderr: NodeJS.WritableStream): Output {
  // A reader that has seen enough (`| head`) is no failure of ours.
  stdout.on('error', () => {});
  return {
    answer: (text) => void stdout.write(`${text}\n`),
    complain: (text) => void stderr.write(`${text}\n`),
  };
}
