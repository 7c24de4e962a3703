export const analysisByContent = `
-- Whether any file has a content is asked before it is removed as a leftover.
CREATE INDEX analysis_by_content ON analysis (content_sha256);
`;
