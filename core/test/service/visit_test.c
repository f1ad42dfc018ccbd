/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* Who may connect to the socket: its mode, its group, and the list of users, which adds. */
#include "service/wire/wire.h"

#include "test/support/check.h"

static const uint32_t listed[] = {1000, 4000000000};

static bool may(int32_t users, int32_t mode, int64_t gid, uint32_t uid, bool in_group)
{
    allot_service_config config;
    allot_service_config_init(&config);
    config.uids = listed;
    config.uid_count = users;
    config.socket_mode = mode;
    config.socket_gid = gid;
    const allot__visitor who = {uid, 77, in_group};
    return allot__may_visit(&config, &who);
}

static void test_own_user_and_root_always(void)
{
    for (int users = 0; users < 3; users++)
        for (int mode = 0; mode <= 0777; mode += 0111)
            for (int64_t gid = -1; gid < 2; gid++)
                CHECK(may(users, mode, gid, 0, false) && may(users, mode, gid, 77, false));
}

static void test_the_list_adds(void)
{
    CHECK(!may(0, 0, -1, 1000, true));
    CHECK(may(1, 0, -1, 1000, false) && !may(1, 0, -1, 4000000000, true));
    CHECK(may(2, 0, -1, 4000000000, false));
    CHECK(may(1, 0660, 5, 1000, false));
}

static void test_groups_and_others(void)
{
    /* By its group, given or the service's own: only where somebody has said so. */
    CHECK(may(0, 0, 5, 1000, true) && !may(0, 0, 5, 1000, false));
    CHECK(may(0, 0660, -1, 1000, true) && !may(0, 0660, -1, 1000, false));
    CHECK(!may(0, 0600, -1, 1000, true));
    CHECK(may(1, 0, 5, 2000, true));
    /* Anybody, but with a list. */
    CHECK(may(0, 0666, -1, 2000, false) && !may(1, 0666, -1, 2000, false));
}

static uint32_t mode(int32_t users, int32_t said, int64_t gid)
{
    allot_service_config config;
    allot_service_config_init(&config);
    config.uid_count = users;
    config.socket_mode = said;
    config.socket_gid = gid;
    return allot__socket_mode(&config);
}

static void test_modes(void)
{
    CHECK_EQ(mode(0, 0, -1), 0600);
    CHECK_EQ(mode(0, 0, 5), 0660);
    CHECK_EQ(mode(1, 0, -1), 0666);
    CHECK_EQ(mode(1, 0, 5), 0666);
    CHECK_EQ(mode(1, 0640, 5), 0640);
}

static void test_users_of_namespaces(void)
{
    static const char whole[] = "         0          0 4294967295\n";
    static const char few[] = "         0          0          1\n     61184     61184          1\n";
    CHECK(allot__uid_is_known(whole, 0) && allot__uid_is_known(whole, 4294967294));
    CHECK(allot__uid_is_known(few, 0) && allot__uid_is_known(few, 61184));
    CHECK(!allot__uid_is_known(few, 1) && !allot__uid_is_known(few, 1000));
    CHECK(!allot__uid_is_known(few, 61185) && !allot__uid_is_known("", 0));
    CHECK(!allot__uid_is_known("nonsense\n", 0));
}

int main(void)
{
    RUN(test_own_user_and_root_always);
    RUN(test_the_list_adds);
    RUN(test_groups_and_others);
    RUN(test_modes);
    RUN(test_users_of_namespaces);
    return check_done();
}
