import { csharp } from './languages/csharp.ts';
import { go } from './languages/go.ts';
import { java } from './languages/java.ts';
import { python } from './languages/python.ts';
import { typescript } from './languages/typescript.ts';

/** The languages, by their names in the documents. */
export const languages = { TypeScript: typescript, Python: python, Go: go, Java: java, 'C#': csharp };

export type LanguageName = keyof typeof languages;
