import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.CasesApi;
import org.openapitools.client.api.OrganisationsApi;
import org.openapitools.client.model.FileSummary;
import org.openapitools.client.model.ModelCase;
import org.openapitools.client.model.VerificationSettingUpdate;

/** Calls the server with the generated Java client. Reads the target from stdin and prints what it saw, both as JSON. */
class Caller {
  private static final ObjectMapper json = new ObjectMapper();
  private static final DateTimeFormatter asTheDocument = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'");

  interface Call {
    Object run() throws ApiException;
  }

  public static void main(String[] args) throws Exception {
    JsonNode target = json.readTree(System.in);
    URI base = URI.create(target.get("base_url").asText());
    OrganisationsApi owner = new OrganisationsApi(client(base, "x-api-key", target.get("owner_key").asText()));
    OrganisationsApi stranger = new OrganisationsApi(client(base, "x-api-key", target.get("unknown_key").asText()));
    CasesApi cases = new CasesApi(client(base, "Authorization", "Bearer " + target.get("access_token").asText()));

    boolean off = owner.updateVerificationSetting(new VerificationSettingUpdate().enabled(false)).getEnabled();
    boolean on = owner.updateVerificationSetting(new VerificationSettingUpdate().enabled(true)).getEnabled();
    boolean read = owner.getVerificationSetting().getEnabled();
    ModelCase found = cases.getCase(target.get("case_id").asText());
    Map<String, Object> seen = new HashMap<>();
    seen.put("case_id", found.getCaseId());
    seen.put("label", found.getLabel());
    seen.put("locked_at", text(found.getLockedAt()));
    seen.put("file_analysis_status", found.getFileAnalysisStatus().getValue());
    seen.put("total_files", found.getTotalFiles());
    List<Map<String, Object>> files = new ArrayList<>();
    for (FileSummary file : found.getFiles()) {
      Map<String, Object> one = new HashMap<>();
      one.put("file_id", file.getFileId());
      one.put("analysis_status", file.getAnalysisStatus());
      one.put("analysis_completed_at", text(file.getAnalysisCompletedAt()));
      files.add(one);
    }
    json.writeValue(
        System.out,
        Map.of(
            "enabled", List.of(off, on, read),
            "case", seen,
            "files", files,
            "unknownCase", refusal(() -> cases.getCase(target.get("unknown_case_id").asText())),
            "unknownKey", refusal(stranger::getVerificationSetting)));
  }

  /** The native client has no settings for credentials: it gives each request to an interceptor. */
  private static ApiClient client(URI base, String header, String value) {
    return new ApiClient()
        .setScheme(base.getScheme())
        .setHost(base.getHost())
        .setPort(base.getPort())
        .setRequestInterceptor(request -> request.header(header, value));
  }

  private static List<Object> refusal(Call call) throws IOException {
    try {
      call.run();
    } catch (ApiException refused) {
      return List.of(refused.getCode(), json.readTree(refused.getResponseBody()).get("error_code"));
    }
    throw new AssertionError("a refusal was expected");
  }

  private static String text(OffsetDateTime moment) {
    return moment == null ? null : moment.withOffsetSameInstant(ZoneOffset.UTC).format(asTheDocument);
  }
}
