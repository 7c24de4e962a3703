import { describeCorpusOf } from '../fuzz/replay.ts';

for (const target of ['pdfs', 'thumbnails']) describeCorpusOf(target);
