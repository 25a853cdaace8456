import type { CommandContext } from '../main.ts';

export async function mcpStatus(_args: readonly string[], _context: CommandContext): Promise<void> {}
