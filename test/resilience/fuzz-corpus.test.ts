import { testCorpusOf } from '../fuzz/replay.ts';

for (const target of ['request-heads', 'request-bodies', 'bulk-files', 'case-imports']) testCorpusOf(target);
