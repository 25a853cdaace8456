import type { CommandContext } from '../main.ts';

export async function completion(_args: readonly string[], _context: CommandContext): Promise<void> {}
