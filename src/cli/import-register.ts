import type {
  CompanyRegister,
  CompanyRegisterImport,
  CompanyRegisterStore,
  RegisterEntry,
  RegisterName,
  RegisterOrigin,
} from '../store/company-register-store.ts';
import type { Output } from './context.ts';
import { withProgress } from './progress.ts';

/** The input of an import, and the stream that shows its progress. */
export interface RegisterInput {
  readonly register: RegisterName;
  readonly origin: RegisterOrigin;
  readonly output: Output;
  /** The total size of its files; 0 if unknown. */
  readonly bytes: number;
  readonly read: (onBytes?: (read: number) => void) => AsyncIterable<RegisterEntry[]>;
}

/** Imports a register, all or nothing. @throws the errors of reading and of storing it */
export async function importRegister(
  store: CompanyRegisterStore,
  { register, origin, output, bytes, read }: RegisterInput,
): Promise<CompanyRegister> {
  let begun: CompanyRegisterImport | undefined;
  try {
    let added = 0;
    const started = await withProgress(output, { doing: 'Reading', nouns: 'bytes', total: bytes }, async (onBytes) => {
      for await (const part of read(onBytes)) {
        // Start only now, so that a file of another layout changes nothing.
        begun ??= await store.startCompanyRegisterImport(register);
        await begun.add(part);
        added += part.length;
      }
      return begun;
    });
    if (!started) throw new Error('a bulk file without a company was read');
    return await withProgress(output, { doing: 'Storing', nouns: 'companies', total: added }, (onStored) =>
      started.finish(origin, onStored),
    );
  } catch (error) {
    await begun?.abandon().catch(() => undefined);
    throw error;
  }
}
