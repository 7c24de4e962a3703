export const analysisByContent = `
-- Used before content is removed as a leftover, to check that no file has it.
CREATE INDEX analysis_by_content ON analysis (content_sha256);
`;
