using System;
using System.Linq;
using System.Net.Http;
using System.Threading.Tasks;
using DocumentAnalysis;
using Newtonsoft.Json;
using Newtonsoft.Json.Converters;
using Newtonsoft.Json.Linq;

/// <summary>Calls the server with the generated C# client. Reads the target from stdin and prints what it saw, both as JSON.</summary>
static class Caller
{
    static void Main()
    {
        Run().Wait();
    }

    static async Task Run()
    {
        var target = JObject.Parse(Console.In.ReadToEnd());
        var owner = Client(target, "x-api-key", (string)target["owner_key"]);
        var stranger = Client(target, "x-api-key", (string)target["unknown_key"]);
        var cases = Client(target, "Authorization", "Bearer " + (string)target["access_token"]);

        var off = await owner.UpdateVerificationSettingAsync(new VerificationSettingUpdate { Enabled = false });
        var on = await owner.UpdateVerificationSettingAsync(new VerificationSettingUpdate { Enabled = true });
        var read = await owner.GetVerificationSettingAsync();
        var found = await cases.GetCaseAsync((string)target["case_id"]);
        Console.WriteLine(JsonConvert.SerializeObject(new
        {
            enabled = new[] { off.Enabled, on.Enabled, read.Enabled },
            @case = new
            {
                case_id = found.Case_id,
                label = found.Label,
                locked_at = Text(found.Locked_at),
                file_analysis_status = found.File_analysis_status,
                total_files = found.Total_files,
            },
            files = found.Files.Select(file => new
            {
                file_id = file.File_id,
                analysis_status = file.Analysis_status,
                analysis_completed_at = Text(file.Analysis_completed_at),
            }),
            unknownCase = await Refusal(() => cases.GetCaseAsync((string)target["unknown_case_id"])),
            unknownKey = await Refusal(() => stranger.GetVerificationSettingAsync()),
        }, new StringEnumConverter()));
    }

    static DocumentAnalysisClient Client(JObject target, string header, string value)
    {
        var http = new HttpClient();
        http.DefaultRequestHeaders.Add(header, value);
        return new DocumentAnalysisClient(http) { BaseUrl = (string)target["base_url"] };
    }

    static async Task<object[]> Refusal<T>(Func<Task<T>> call)
    {
        try
        {
            await call();
        }
        catch (ApiException<Error> refused)
        {
            return new object[] { refused.StatusCode, refused.Result.Error_code };
        }
        throw new Exception("a refusal was expected");
    }

    static string Text(DateTimeOffset? moment)
    {
        return moment?.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'");
    }
}
