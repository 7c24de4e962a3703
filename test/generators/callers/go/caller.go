// Calls the server with the generated Go client. Reads the target from stdin and prints what it saw, both as JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"
	"time"

	"openapi"
)

type target struct {
	BaseURL       string `json:"base_url"`
	OwnerKey      string `json:"owner_key"`
	AccessToken   string `json:"access_token"`
	CaseID        string `json:"case_id"`
	UnknownCaseID string `json:"unknown_case_id"`
	UnknownKey    string `json:"unknown_key"`
}

type file struct {
	FileID              string  `json:"file_id"`
	AnalysisStatus      string  `json:"analysis_status"`
	AnalysisCompletedAt *string `json:"analysis_completed_at"`
}

func main() {
	var given target
	must(json.NewDecoder(os.Stdin).Decode(&given))
	configuration := openapi.NewConfiguration()
	configuration.BasePath = given.BaseURL
	client := openapi.NewAPIClient(configuration)
	withKey := func(key string) context.Context {
		return context.WithValue(context.Background(), openapi.ContextAPIKey, openapi.APIKey{Key: key})
	}
	owner := withKey(given.OwnerKey)
	withToken := context.WithValue(context.Background(), openapi.ContextAccessToken, given.AccessToken)

	off, _, err := client.OrganisationsApi.UpdateVerificationSetting(owner, openapi.VerificationSettingUpdate{Enabled: false})
	must(err)
	on, _, err := client.OrganisationsApi.UpdateVerificationSetting(owner, openapi.VerificationSettingUpdate{Enabled: true})
	must(err)
	read, _, err := client.OrganisationsApi.GetVerificationSetting(owner)
	must(err)
	found, _, err := client.CasesApi.GetCase(withToken, given.CaseID)
	must(err)
	files := []file{}
	for _, one := range found.Files {
		files = append(files, file{one.FileId, one.AnalysisStatus, text(one.AnalysisCompletedAt)})
	}
	_, unknownCase, caseError := client.CasesApi.GetCase(withToken, given.UnknownCaseID)
	_, unknownKey, keyError := client.OrganisationsApi.GetVerificationSetting(withKey(given.UnknownKey))
	must(json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"enabled": []bool{off.Enabled, on.Enabled, read.Enabled},
		"case": map[string]interface{}{
			"case_id":              found.CaseId,
			"label":                found.Label,
			"locked_at":            text(found.LockedAt),
			"file_analysis_status": found.FileAnalysisStatus,
			"total_files":          found.TotalFiles,
		},
		"files":       files,
		"unknownCase": refusal(unknownCase, caseError),
		"unknownKey":  refusal(unknownKey, keyError),
	}))
}

func refusal(response *http.Response, err error) []interface{} {
	var refused openapi.GenericOpenAPIError
	if !errors.As(err, &refused) {
		log.Fatalf("a refusal was expected, not %v", err)
	}
	model, isModel := refused.Model().(openapi.Error)
	if !isModel {
		log.Fatalf("the error of the document was expected, not %s", refused.Body())
	}
	return []interface{}{response.StatusCode, model.ErrorCode}
}

// As the document writes it. The client gives a time, or nil where the document says null.
func text(moment *time.Time) *string {
	if moment == nil {
		return nil
	}
	written := moment.UTC().Format("2006-01-02T15:04:05.000Z")
	return &written
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
