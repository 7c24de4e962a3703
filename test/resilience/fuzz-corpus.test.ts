import { describeCorpusOf } from '../fuzz/replay.ts';

for (const target of ['request-heads', 'request-bodies', 'media-types', 'texts', 'bulk-files', 'case-imports'])
  describeCorpusOf(target);
